/** Values of the pseudo parameters in a template that is never deployed. */
const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': '000000000000',
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-central-1',
  'AWS::URLSuffix': 'amazonaws.com',
};

type Template = { readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>> };

/**
 * The text that a template's expression stands for: joins are joined, references become what `names` says, else a
 * parameter's default, else the logical id itself.
 *
 * @param names local names by logical id
 * @throws Error for an intrinsic function that it does not know
 */
export function templateText(value: unknown, template: Template, names: ReadonlyMap<string, string>): string {
  if (typeof value === 'string') return value;
  const [[name, argument] = [], ...more] = Object.entries((value ?? {}) as Record<string, unknown>);
  if (name === undefined || more.length > 0)
    throw new Error(`Not a template expression: ${JSON.stringify(value)}`);
  switch (name) {
    case 'Ref': {
      const id = argument as string;
      return pseudoParameters[id] ?? names.get(id) ?? String(template.Parameters?.[id]?.Default ?? id);
    }
    case 'Fn::GetAtt': {
      const [id] = argument as [string, string];
      return names.get(id) ?? id;
    }
    case 'Fn::Join': {
      const [separator, parts] = argument as [string, unknown[]];
      return parts.map((part) => templateText(part, template, names)).join(separator);
    }
    default:
      throw new Error(`Template function ${name} is not resolved locally`);
  }
}
