//! Setters of settings that applications cannot write as a whole, because fields may be added.

/// Adds a setter for each field, by its name, so that settings are one expression.
macro_rules! setters {
    ($settings:ty: $($field:ident: $kind:ty,)+) => {
        impl $settings {
            $(
                #[doc = concat!("Sets `", stringify!($field), "`.")]
                #[must_use]
                pub fn $field(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )+
        }
    };
}
pub(crate) use setters;
