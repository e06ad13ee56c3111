/**
 * A template's expression as one text, in the form in which cdk-nag names it: `<LogicalId.Arn>:*` for a join of an
 * attribute and text.
 */
export function flatReference(expression: unknown): string {
  if (expression === undefined) return '';
  if (typeof expression === 'string') return expression.replaceAll('${', '<').replaceAll('}', '>');
  const { 'Fn::Join': join, 'Fn::GetAtt': attribute, Ref: reference } = expression as Record<string, unknown>;
  if (join) {
    const [delimiter, parts] = join as [string, unknown[]];
    return parts.map(flatReference).join(delimiter);
  }
  if (attribute) return `<${(attribute as unknown[]).map(flatReference).join('.')}>`;
  if (reference) return `<${flatReference(reference)}>`;
  return JSON.stringify(expression);
}
