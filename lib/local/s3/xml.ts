import { invalidArgument } from './s3-error.js';

/** Content of an XML element: text, elements, or nothing. A list repeats the element. */
export type XmlValue =
  | string
  | number
  | boolean
  | undefined
  | XmlElements
  | readonly XmlElements[]
  | readonly string[];

/** Elements by name, in order. */
export interface XmlElements {
  readonly [name: string]: XmlValue;
}

/**
 * Writes an XML document in S3's namespace.
 *
 * @param root name of the outermost element.
 */
export function xmlDocument(root: string, content: XmlElements): string {
  const space = root === 'Error' ? '' : ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${space}>${elements(content)}</${root}>`;
}

function elements(content: XmlElements): string {
  let text = '';
  for (const [name, value] of Object.entries(content)) {
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) {
      if (one === undefined) continue;
      text += `<${name}>${typeof one === 'object' ? elements(one) : escapeXml(String(one))}</${name}>`;
    }
  }
  return text;
}

// Control characters as S3 writes them. XML 1.0 forbids most of them, hence encoding-type=url.
function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be escaped
  return text.replace(/[&<>"\u0000-\u001f\u007f]/g, (char) => {
    const named = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[char];
    return named ?? `&#x${char.charCodeAt(0).toString(16)};`;
  });
}

/**
 * Encodes a key as S3 does under `encoding-type=url`: percent signs over UTF-8 bytes, a space as `+`, `/` and
 * `-_.*` left alone.
 */
export function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replace(/[!'()~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%2F/g, '/')
    .replace(/%20/g, '+');
}

/**
 * Decodes a path of a request line. `+` stands for itself there.
 *
 * @throws S3Error `InvalidArgument` when it is not UTF-8 behind percent signs.
 */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalidArgument('The path is not valid UTF-8.');
  }
}
