//! Between the board, the folder and who talks to the board.

use std::{
    cell::{Cell, OnceCell, RefCell},
    fmt,
    ops::ControlFlow,
    rc::{Rc, Weak},
};

use flylead_core::mount::{Answer, Errno, Event, Failure, Mount, Question, QuestionId};
use futures::{FutureExt, channel::oneshot, future::LocalBoxFuture, lock::Mutex};
use js_sys::futures::spawn_local;

use super::{Folder, MountNews, NewsListener};
use crate::{
    channel::{Bytes, Sender},
    driver::{Application, Driver},
    ending::Ending,
    error::{Error, ErrorKind},
    task::Reply,
    types::LostReason,
};

/// Receiver of the mounted board's output and questions.
pub(super) struct Relay {
    /// Itself, for what it answers later.
    this: Weak<Self>,
    driver: OnceCell<Weak<Driver<Mount>>>,
    /// Locked while it answers: one question after the other.
    folder: Mutex<Folder>,
    /// True if there was input since the last question: perhaps a program.
    has_typed: Cell<bool>,
    /// None once the conversation is over.
    output: RefCell<Option<Sender<Bytes>>>,
    /// Caller that waits for the folder to be mounted or unmounted.
    waiting: RefCell<Option<oneshot::Sender<Result<(), Error>>>>,
    on_news: Option<NewsListener>,
    ending: Ending,
}

impl Relay {
    /// And what comes of the first mounting.
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
            has_typed: Cell::new(false),
            output: RefCell::new(Some(output)),
            waiting: RefCell::new(Some(waiting)),
            on_news,
            ending: Ending::default(),
        });
        (relay, begun)
    }

    /// Answers go to the board through this.
    pub(super) fn join(&self, driver: &Rc<Driver<Mount>>) {
        // There is one of them.
        let _ = self.driver.set(Rc::downgrade(driver));
    }

    pub(super) fn lost(&self) -> Reply<Option<Error>> {
        self.ending.lost()
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        self.ending.check()
    }

    /// Asks the board to let the folder go, and waits for that. Nothing if it is gone, or takes the folder just now.
    pub(super) fn unmount(&self, driver: &Driver<Mount>) -> Option<LocalBoxFuture<'static, ()>> {
        self.check().ok()?;
        driver.command(Mount::unmount).ok()?;
        let (waiting, done) = Reply::channel();
        self.waiting.replace(Some(waiting));
        Some(FutureExt::map(done, drop).boxed_local())
    }

    /// Notes input to the board that may be a program.
    pub(super) fn typed(&self) {
        self.has_typed.set(true);
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
        if self.has_typed.take() {
            folder.forget_sent();
        }
        folder.answer(question).await
    }

    /// Tells whoever waits; otherwise it is news.
    fn settle(&self, done: Result<(), Error>, news: impl FnOnce() -> MountNews) {
        match self.waiting.take() {
            // Refused when nobody waits any more.
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
                    // Refused when nobody waits any more.
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
    Error::lost(reason.into(), driver.fault(), failure)
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay")
            .field("ending", &self.ending)
            .finish_non_exhaustive()
    }
}
