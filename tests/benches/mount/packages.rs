//! Packages of PyPI's that were written for MicroPython: drivers of sensors, 34 modules in all.

use std::process::Command;

use flylead_tests::{bench::fail, boards::venv};
use tempfile::TempDir;

/// They run without the sensors as far as they are imported.
const PACKAGES: [&str; 9] = [
    "micropython-adxl343==0.1.2",
    "micropython-ahtx0==0.1.2",
    "micropython-bma220==0.1.2",
    "micropython-bma400==0.1.2",
    "micropython-bmi160==0.1.2",
    "micropython-bmm150==0.1.0",
    "micropython-bmp581==0.1.3",
    "micropython-as6212==0.2.0",
    "micropython-ds1841==0.1.2",
];

/// The modules that a program names; they import the others.
pub(crate) const MODULES: &str = "'ahtx0','micropython_adxl343.adxl343','micropython_bma220.bma220','micropython_bma220.bma220_tap_sensing','micropython_bma220.bma220_const','micropython_bma220.bma220_lowg_detection','micropython_bma220.bma220_slope','micropython_bma220.bma220_orientation','micropython_bma400.bma400','micropython_bmi160.bmi160','micropython_bmm150.bmm150','micropython_bmp581.bmp581','micropython_as6212.as6212','micropython_ds1841.ds1841'";

/// A folder with the packages in it, installed by the tests' own pip.
pub(crate) fn install() -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let mut pip = Command::new(venv().join("bin/python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    pip.args([
        "--no-deps",
        "--no-compile",
        "--only-binary",
        ":all:",
        "--target",
    ]);
    let installed = pip.arg(folder.path()).args(PACKAGES).status();
    if !installed.is_ok_and(|status| status.success()) {
        fail("pip does not install the packages that are to be imported");
    }
    folder
}
