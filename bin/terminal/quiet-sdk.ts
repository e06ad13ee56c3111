/*
 * The AWS SDK warns on stderr, once a process, that later versions of itself will not run on Node 20. That is for
 * those who install the SDK, not for those who look up a lock, and programs read this stderr. The SDK offers this
 * variable for exactly this warning; all other warnings still come. It is read when the first client is made, so this
 * module is imported before anything else.
 */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
