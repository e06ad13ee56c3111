/**
 * Stands in for `bowser`, which reads a browser's user agent. The SDK imports it for browsers only; a function that
 * reached it would find nothing here and fail, which its tests would show.
 */
export default {};
