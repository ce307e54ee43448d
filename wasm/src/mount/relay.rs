//! Relay between the board, the folder and the client.

use std::{
    cell::{OnceCell, RefCell},
    fmt,
    ops::ControlFlow,
    rc::{Rc, Weak},
};

use flylead_core::mount::{Answer, Errno, Event, Failure, Mount, Question, QuestionId, Typed};
use futures::{FutureExt, channel::oneshot, future::LocalBoxFuture, lock::Mutex};
use js_sys::futures::spawn_local;

use super::{Folder, MountNews, NewsListener};
use crate::{
    binding::channel::{Bytes, Sender},
    binding::ending::Ending,
    binding::error::{Error, ErrorKind},
    driver::{Application, Driver},
    task::Reply,
    types::LostReason,
};

/// Receiver of the mounted board's output and requests.
pub(super) struct Relay {
    /// Weak reference to itself, for later answers.
    this: Weak<Self>,
    driver: OnceCell<Weak<Driver<Mount>>>,
    /// Folder, locked while it answers: one request after the other.
    folder: Mutex<Folder>,
    /// Input since the last request, which may have started a program.
    program: RefCell<Typed>,
    /// `None` once the conversation has ended.
    output: RefCell<Option<Sender<Bytes>>>,
    /// Caller that waits for the folder to be mounted or unmounted.
    waiting: RefCell<Option<oneshot::Sender<Result<(), Error>>>>,
    on_news: Option<NewsListener>,
    ending: Ending,
}

impl Relay {
    /// Creates the relay, and a receiver for the result of the first mounting.
    pub(super) fn new(
        folder: Folder,
        output: Sender<Bytes>,
        on_news: Option<NewsListener>,
    ) -> (Rc<Self>, Reply<()>) {
        let (waiting, begun) = Reply::channel();
        let relay = Rc::new_cyclic(|this| Self {
            this: this.clone(),
            driver: OnceCell::new(),
            folder: Mutex::new(folder),
            program: RefCell::default(),
            output: RefCell::new(Some(output)),
            waiting: RefCell::new(Some(waiting)),
            on_news,
            ending: Ending::default(),
        });
        (relay, begun)
    }

    /// Sets the driver through which answers go to the board.
    pub(super) fn join(&self, driver: &Rc<Driver<Mount>>) {
        // It is set only once.
        let _ = self.driver.set(Rc::downgrade(driver));
    }

    pub(super) fn lost(&self) -> Reply<Option<Error>> {
        self.ending.lost()
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        self.ending.check()
    }

    /// Asks the board to unmount the folder, and waits for that. `None` if the board is gone, or is just mounting the
    /// folder.
    pub(super) fn unmount(&self, driver: &Driver<Mount>) -> Option<LocalBoxFuture<'static, ()>> {
        self.check().ok()?;
        driver.command(Mount::unmount).ok()?;
        let (waiting, done) = Reply::channel();
        self.waiting.replace(Some(waiting));
        Some(FutureExt::map(done, drop).boxed_local())
    }

    /// Records input to the board that may start a program.
    pub(super) fn typed(&self, bytes: &[u8]) {
        self.program.borrow_mut().push(bytes);
    }

    pub(super) fn end(&self, lost: Option<Error>) {
        self.output.take();
        self.ending.end(lost);
        self.waiting.take();
    }

    fn ask(&self, id: QuestionId, question: Question) {
        let driver = self.driver.get().and_then(Weak::upgrade);
        let (Some(relay), Some(driver)) = (self.this.upgrade(), driver) else {
            return;
        };
        spawn_local(async move {
            let answer = relay.answer(&question).await;
            if answer == Err(Errno::GONE) {
                relay.tell(MountNews::FolderGone);
            }
            driver.command(|mount, now| mount.answer(now, id, &answer));
        });
    }

    async fn answer(&self, question: &Question) -> Answer {
        let mut folder = self.folder.lock().await;
        let program = self.program.borrow_mut().take();
        if let Some(program) = program {
            folder.forget_sent(program);
        }
        folder.answer(question).await
    }

    /// Notifies the waiting caller; without one, reports it as news.
    fn settle(&self, done: Result<(), Error>, news: impl FnOnce() -> MountNews) {
        match self.waiting.take() {
            // Refused if the receiver is gone.
            Some(waiting) => drop(waiting.send(done)),
            None => self.tell(news()),
        }
    }

    fn tell(&self, news: MountNews) {
        if let Some(tell) = &self.on_news {
            tell(news);
        }
    }
}

impl Application<Mount> for Relay {
    fn event(&self, driver: &Driver<Mount>, event: Event) -> ControlFlow<()> {
        match event {
            Event::Output(bytes) => {
                if let Some(output) = &mut *self.output.borrow_mut() {
                    output.send(bytes);
                }
            }
            Event::Asked(id, question) => self.ask(id, question),
            Event::Mounted | Event::Unmounted => self.settle(Ok(()), || MountNews::Mounted),
            Event::Failed(failure) => {
                let why = failure.to_string();
                self.settle(Err(error(&failure, driver)), || MountNews::Failed { why });
            }
            Event::Closed => {
                let why = "the board is gone: the connection closed";
                let lost = Error::lost(LostReason::Closed, driver.fault(), why);
                if let Some(waiting) = self.waiting.take() {
                    // Refused if the receiver is gone.
                    let _ = waiting.send(Err(lost.clone()));
                }
                self.end(Some(lost));
                return ControlFlow::Break(());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn error(failure: &Failure, driver: &Driver<Mount>) -> Error {
    let Failure::Lost(reason) = failure else {
        return Error::new(ErrorKind::Mount, failure);
    };
    Error::lost_board(reason, driver.fault())
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay")
            .field("ending", &self.ending)
            .finish_non_exhaustive()
    }
}
