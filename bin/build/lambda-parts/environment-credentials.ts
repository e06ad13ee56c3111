/**
 * Stands in for `@aws-sdk/credential-provider-node` in the bundles of `lambda/`. Lambda hands a function the
 * credentials of its role in the environment; the SDK's chain of profiles, single sign-on and metadata services would
 * be an eighth of a bundle that never runs.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export const defaultProvider = () => async () => {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env;
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  }
  const error = new Error('The environment has no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  // What the SDK calls it; the client explains errors by their names.
  error.name = 'CredentialsProviderError';
  throw error;
};
