//! Compilation of the modules of a mounted folder, once the board's code is known.

use std::sync::{Arc, OnceLock};

use flylead_native::mount::Compile;
use tokio::runtime::Handle;

use super::{Common, Failure, Mpy};
use crate::files::fs::Compiler;

/// The compiler, which is available once the board has the folder.
#[derive(Default)]
pub(super) struct Code(Arc<OnceLock<Compiler>>);

impl Code {
    /// Returns a function that compiles once there is a compiler. Sources that cannot be compiled are left to the
    /// board, which names the line.
    pub(super) fn compile(&self) -> Compile {
        let compiler = Arc::clone(&self.0);
        let runtime = Handle::current();
        Arc::new(move |path, source| {
            let name = path.trim_start_matches('/');
            let compiled = compiler.get()?.compile(name, name, source);
            runtime.block_on(compiled).ok()
        })
    }

    /// Queries the board for the code that it runs.
    pub(super) async fn fit(&self, mpy: &Mpy, common: &Common) -> Result<(), Failure> {
        let mut board = common.board().await?;
        let compiler = mpy.compiler(&mut board).await;
        common.leave(board).await;
        if let Some(compiler) = compiler? {
            // The board is queried once.
            let _ = self.0.set(compiler);
        }
        Ok(())
    }
}
