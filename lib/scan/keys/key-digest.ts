import { hash } from 'node:crypto';

const limbs = 4;
const limbSize = 2 ** 32;

/**
 * A digest of a set of keys that does not depend on their order, and of two parts can be added: the sum, modulo
 * 2^128, of the first 16 bytes of each key's SHA-256. Equal digests and counts mean equal keys, each seen once.
 */
export class KeyDigest {
  /** Big end first. */
  readonly #limbs = new Array<number>(limbs).fill(0);

  add(key: string): void {
    const bytes = hash('sha256', key, 'buffer');
    let carry = 0;
    for (let limb = limbs - 1; limb >= 0; limb--) {
      const sum = this.#limbs[limb]! + bytes.readUInt32BE(limb * 4) + carry;
      this.#limbs[limb] = sum % limbSize;
      carry = Math.floor(sum / limbSize);
    }
  }

  /** 32 hexadecimal digits. */
  hex(): string {
    return this.#limbs.map((limb) => limb.toString(16).padStart(8, '0')).join('');
  }
}

/** The digest of no keys. */
export const emptyDigest = '0'.repeat(32);

/** A digest of keys, for an independent walk to compare a report with. */
export function keyDigest(): KeyDigest {
  return new KeyDigest();
}

/** The digest of two disjoint parts together. */
export function addDigests(a: string, b: string): string {
  return ((BigInt(`0x${a}`) + BigInt(`0x${b}`)) % 2n ** 128n).toString(16).padStart(32, '0');
}
