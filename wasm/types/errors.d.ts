/** `flylead/errors`: what an error is, for who loads what can fail later. */

export { isFlyleadError, type FlyleadError } from "./index.js";
