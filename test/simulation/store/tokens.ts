import { NotSimulated } from './attribute-values.js';

const pattern = /\s*(?:(<>|<=|>=|[=<>(),.+[\]-])|(:\w+)|(#\w+|[A-Za-z_]\w*|\d+))/y;

/** One expression as a stream of tokens, with a note of every placeholder that it uses. */
export class Tokens {
  readonly names = new Set<string>();
  readonly values = new Set<string>();
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    pattern.lastIndex = 0;
    while (pattern.lastIndex < text.trimEnd().length) {
      const start = pattern.lastIndex;
      const match = pattern.exec(text);
      if (!match) throw new NotSimulated(`the expression at "${text.slice(start)}"`);
      this.#tokens.push(match[1] ?? match[2] ?? match[3]!);
    }
  }

  get next(): string | undefined {
    return this.#tokens[this.#at];
  }

  take(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new NotSimulated('an expression that ends too soon');
    if (token.startsWith('#')) this.names.add(token);
    if (token.startsWith(':')) this.values.add(token);
    return token;
  }

  /** Takes the token if it is the one; words in any case. */
  takeIf(wanted: string): boolean {
    if (this.next?.toUpperCase() !== wanted) return false;
    this.#at++;
    return true;
  }

  demand(wanted: string): void {
    const found = this.next;
    if (!this.takeIf(wanted)) throw new NotSimulated(`"${found}" where "${wanted}" must stand`);
  }
}
