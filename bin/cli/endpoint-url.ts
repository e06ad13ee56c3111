import { InvalidArgumentError } from 'commander';

/**
 * Reads the address of an endpoint.
 *
 * @throws InvalidArgumentError, which commander shows as a usage error
 */
export function endpointUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be a URL such as http://localhost:8000.');
}
