import ts from 'typescript';

/** One small change of a source file, by place. */
export interface SmallChange {
  /** From the repository's root. */
  readonly file: string;
  readonly operator: Operator;
  /** Offsets into the file's text; what lies between them is replaced. */
  readonly start: number;
  readonly end: number;
  readonly replace: string;
  /** The expression or statement around it, by its offsets: what is done in one of two ways. */
  readonly around: readonly [start: number, end: number];
}

/** The kinds of small changes. */
export type Operator =
  | 'condition'
  | 'comparison'
  | 'logic'
  | 'arithmetic'
  | 'boolean'
  | 'number'
  | 'text'
  | 'statement'
  | 'order'
  | 'await'
  | 'argument'
  | 'property'
  | 'default';

const comparisons: ReadonlyMap<ts.SyntaxKind, readonly string[]> = new Map([
  [ts.SyntaxKind.LessThanToken, ['<=', '>=']],
  [ts.SyntaxKind.LessThanEqualsToken, ['<', '>']],
  [ts.SyntaxKind.GreaterThanToken, ['>=', '<=']],
  [ts.SyntaxKind.GreaterThanEqualsToken, ['>', '<']],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, ['!==']],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, ['===']],
]);

const logic: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
]);

const arithmetic: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
]);

/**
 * Every small change of a file: a condition that is always or never true, a comparison turned, a sign, a constant, a text;
 * a statement taken out, two statements in the other order, an `await` dropped, an argument or a property left out.
 *
 * @param file from the repository's root
 * @param source its text
 */
export function smallChanges(file: string, source: string): readonly SmallChange[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const changes: SmallChange[] = [];
  const add: Add = (operator, node, replace, { end = node.getEnd(), around = node } = {}) => {
    const start = node.getStart(tree);
    if (source.slice(start, end) === replace) return;
    changes.push({
      file,
      operator,
      start,
      end,
      replace,
      around: [around.getStart(tree), around.getEnd()],
    });
  };
  const visit = (node: ts.Node): void => {
    // Types are gone when the code runs, and imports decide nothing.
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    changesAt(node, add);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return changes;
}

type Add = (
  operator: Operator,
  node: ts.Node,
  replace: string,
  place?: { readonly end?: number; readonly around?: ts.Node },
) => void;

function changesAt(node: ts.Node, add: Add): void {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) atCondition(node.expression, add);
  if (ts.isConditionalExpression(node)) atCondition(node.condition, add);
  if (ts.isForStatement(node) && node.condition) add('condition', node.condition, 'false');
  if (ts.isBinaryExpression(node)) atBinary(node, add);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    add('logic', node, `(${node.operand.getText()})`);
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) add('boolean', node, 'false');
  if (node.kind === ts.SyntaxKind.FalseKeyword) add('boolean', node, 'true');
  if (ts.isNumericLiteral(node) && !isOnlyOne(node)) add('number', node, `(${node.getText()} + 1)`);
  if (ts.isStringLiteral(node) && isValue(node) && node.text !== '') add('text', node, "''");
  if (ts.isAwaitExpression(node)) add('await', node, `(${node.expression.getText()})`);
  if (ts.isBlock(node) || ts.isSourceFile(node)) atStatements(node.statements, add);
  if (ts.isCallExpression(node) && node.arguments.length > 1) {
    const last = node.arguments[node.arguments.length - 1]!;
    const isNone = ts.isIdentifier(last) && last.text === 'undefined';
    if (!ts.isSpreadElement(last) && !isDescription(last) && !isNone)
      add('argument', last, 'undefined as never');
  }
  if (ts.isObjectLiteralExpression(node)) atProperties(node, add);
}

function atCondition(condition: ts.Expression, add: Add): void {
  add('condition', condition, 'true as boolean');
  add('condition', condition, 'false as boolean');
}

function atBinary(node: ts.BinaryExpression, add: Add): void {
  const { kind } = node.operatorToken;
  const turned = comparisons.get(kind);
  for (const operator of turned ?? []) {
    add('comparison', node.operatorToken, operator, { around: node });
  }
  const other = logic.get(kind);
  if (other) add('logic', node.operatorToken, other, { around: node });
  const sign = arithmetic.get(kind);
  // Texts are joined with a plus, too: a minus would make them no number, which any test notices.
  if (sign && !isText(node.left) && !isText(node.right)) {
    add('arithmetic', node.operatorToken, sign, { around: node });
  }
  if (kind === ts.SyntaxKind.QuestionQuestionToken) {
    add('default', node, node.right.getText());
    add('default', node, node.left.getText());
  }
}

function atStatements(statements: ts.NodeArray<ts.Statement>, add: Add): void {
  statements.forEach((statement, i) => {
    if (!isEffect(statement)) return;
    add('statement', statement, ';');
    const next = statements[i + 1];
    if (!next || !isEffect(next) || (isPlainAssignment(statement) && isPlainAssignment(next))) return;
    add('order', statement, `${next.getText()}\n${statement.getText()}`, { end: next.getEnd() });
  });
}

/** Sets a property of its own from what is given: two of those can't tell which comes first. */
function isPlainAssignment(statement: ts.Statement): boolean {
  if (!ts.isExpressionStatement(statement)) return false;
  const { expression } = statement;
  if (!ts.isBinaryExpression(expression) || expression.operatorToken.kind !== ts.SyntaxKind.EqualsToken) {
    return false;
  }
  const { left, right } = expression;
  const isOwn = ts.isPropertyAccessExpression(left) && left.expression.kind === ts.SyntaxKind.ThisKeyword;
  return isOwn && !/[(]|\bthis\b/.test(right.getText());
}

function atProperties(node: ts.ObjectLiteralExpression, add: Add): void {
  if (node.properties.length < 2) return;
  node.properties.forEach((property, i) => {
    const next = node.properties[i + 1];
    if (next) add('property', property, '', { end: next.getStart(), around: node });
  });
}

/** What does something: an assignment, a call, a throw, a return without a value. */
function isEffect(statement: ts.Statement): boolean {
  return (
    (ts.isExpressionStatement(statement) && !ts.isStringLiteral(statement.expression)) ||
    ts.isThrowStatement(statement) ||
    (ts.isReturnStatement(statement) && statement.expression === undefined)
  );
}

/** A text that is a value, not the name of a module or of a property. */
function isValue(node: ts.StringLiteral): boolean {
  const { parent } = node;
  if (ts.isLiteralTypeNode(parent) || ts.isExternalModuleReference(parent)) return false;
  if (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword) return false;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  // The words of a message, or of a description, are not a rule; nor are those of one that is joined of parts.
  const whole = joinedOf(node);
  return !ts.isNewExpression(whole) && !ts.isThrowStatement(whole) && !isDescription(whole);
}

/** What a text is for, alone or joined to others by a plus. */
function joinedOf({ parent }: ts.Node): ts.Node {
  const isJoined = ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.PlusToken;
  return isJoined ? joinedOf(parent) : parent;
}

/** In a table of which the names count alone: its type lets nothing but this one number stand there. */
function isOnlyOne({ parent }: ts.NumericLiteral): boolean {
  if (!ts.isPropertyAssignment(parent)) return false;
  for (let node: ts.Node = parent.parent; node; node = node.parent) {
    if (ts.isSatisfiesExpression(node)) return /, 1>$/.test(node.type.getText());
    if (ts.isStatement(node)) return false;
  }
  return false;
}

/** What a schema says to people about a field. */
function isDescription(node: ts.Node): boolean {
  return ts.isCallExpression(node) && /\bdescription$/.test(node.expression.getText());
}

function isText(node: ts.Expression): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** The file's text with the change made. */
export function withChange(source: string, { start, end, replace }: SmallChange): string {
  return source.slice(0, start) + replace + source.slice(end);
}

/** The change as a diff of the lines that it touches. */
export function toDiff(source: string, change: SmallChange): string {
  const from = source.lastIndexOf('\n', change.start - 1) + 1;
  const after = source.indexOf('\n', change.end);
  const until = after < 0 ? source.length : after;
  const line = source.slice(0, from).split('\n').length;
  const now = source.slice(from, change.start) + change.replace + source.slice(change.end, until);
  const marked = (mark: string, text: string) => text.split('\n').map((part) => `${mark} ${part}`);
  return [
    `${change.file}:${line} (${change.operator})`,
    ...marked('-', source.slice(from, until)),
    ...marked('+', now),
  ].join('\n');
}
