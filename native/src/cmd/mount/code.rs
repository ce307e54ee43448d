//! Compiling the modules of a mounted folder, once it is known what the board runs.

use std::sync::{Arc, OnceLock};

use flylead::mount::Compile;
use tokio::runtime::Handle;

use super::{Common, Failure, Mpy};
use crate::cmd::fs::Compiler;

/// The compiler, which can be had when the board has the folder.
#[derive(Default)]
pub(super) struct Code(Arc<OnceLock<Compiler>>);

impl Code {
    /// Compiles from then on. What cannot be compiled is the board's to refuse: it names the line.
    pub(super) fn compile(&self) -> Compile {
        let compiler = Arc::clone(&self.0);
        let runtime = Handle::current();
        Arc::new(move |path, source| {
            let name = path.trim_start_matches('/');
            let compiled = compiler.get()?.compile(name, name, source);
            runtime.block_on(compiled).ok()
        })
    }

    /// Asks the board what it runs.
    pub(super) async fn fit(&self, mpy: &Mpy, common: &Common) -> Result<(), Failure> {
        let mut board = common.board().await?;
        let compiler = mpy.compiler(&mut board).await;
        common.leave(board).await;
        if let Some(compiler) = compiler? {
            // It is asked once.
            let _ = self.0.set(compiler);
        }
        Ok(())
    }
}
