import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { findType, isEqual, NotSimulated, order } from './attribute-values.js';
import { atPath, type Operand, type Scope, takeOperand, takePath } from './operands.js';
import type { Tokens } from './tokens.js';

/** A condition that can be tested. */
export type Test = (scope: Scope) => boolean;

/**
 * Reads a condition expression: comparisons, `attribute_exists`, `attribute_not_exists`, `attribute_type`,
 * `contains` of lists, AND, OR, NOT and parentheses. What the product does not use is refused.
 */
export function takeCondition(tokens: Tokens): Test {
  const tests = [takeConjunction(tokens)];
  while (tokens.takeIf('OR')) tests.push(takeConjunction(tokens));
  return tests.length === 1 ? tests[0]! : (scope) => tests.some((test) => test(scope));
}

function takeConjunction(tokens: Tokens): Test {
  const tests = [takeTest(tokens)];
  while (tokens.takeIf('AND')) tests.push(takeTest(tokens));
  return tests.length === 1 ? tests[0]! : (scope) => tests.every((test) => test(scope));
}

function takeTest(tokens: Tokens): Test {
  if (tokens.takeIf('NOT')) {
    const test = takeTest(tokens);
    return (scope) => !test(scope);
  }
  if (tokens.takeIf('(')) {
    const inner = takeCondition(tokens);
    tokens.demand(')');
    return inner;
  }
  switch (tokens.next) {
    case 'attribute_exists':
      return takeFunction(tokens, (value) => value !== undefined);
    case 'attribute_not_exists':
      return takeFunction(tokens, (value) => value === undefined);
    case 'attribute_type':
      return takeTypeTest(tokens);
    case 'contains':
      return takeContains(tokens);
    default:
      return takeComparison(tokens);
  }
}

function takeFunction(tokens: Tokens, holds: (value: AttributeValue | undefined) => boolean): Test {
  tokens.take();
  tokens.demand('(');
  const operand = atPath(takePath(tokens));
  tokens.demand(')');
  return (scope) => holds(operand(scope));
}

function takeTypeTest(tokens: Tokens): Test {
  tokens.take();
  tokens.demand('(');
  const operand = atPath(takePath(tokens));
  tokens.demand(',');
  const type = tokens.take();
  tokens.demand(')');
  return (scope) => {
    const value = operand(scope);
    return value !== undefined && findType(value) === scope.values[type]?.S;
  };
}

/** An element of a list; what it means of texts and sets is refused. */
function takeContains(tokens: Tokens): Test {
  tokens.take();
  tokens.demand('(');
  const operand = atPath(takePath(tokens));
  tokens.demand(',');
  const wanted = takeOperand(tokens);
  tokens.demand(')');
  return (scope) => {
    const [value, element] = [operand(scope), wanted(scope)];
    if (value === undefined || element === undefined) return false;
    if (!value.L) throw new NotSimulated('contains of what is no list');
    return value.L.some((one) => isEqual(one, element));
  };
}

function takeComparison(tokens: Tokens): Test {
  const left = takeOperand(tokens);
  const comparator = tokens.take();
  const right = takeOperand(tokens);
  switch (comparator) {
    case '=':
      return (scope) => same(left, right, scope);
    case '<>':
      // Also true where one of them is absent.
      return (scope) => !same(left, right, scope);
    case '<':
      return ordered(left, right, (difference) => difference < 0);
    case '<=':
      return ordered(left, right, (difference) => difference <= 0);
    case '>':
      return ordered(left, right, (difference) => difference > 0);
    case '>=':
      return ordered(left, right, (difference) => difference >= 0);
    default:
      throw new NotSimulated(`the comparator ${comparator}`);
  }
}

function same(left: Operand, right: Operand, scope: Scope): boolean {
  const a = left(scope);
  const b = right(scope);
  return a !== undefined && b !== undefined && isEqual(a, b);
}

/** False where one is absent, or the types differ. */
function ordered(left: Operand, right: Operand, holds: (difference: number) => boolean): Test {
  return (scope) => {
    const a = left(scope);
    const b = right(scope);
    if (a === undefined || b === undefined) return false;
    const difference = order(a, b);
    return difference !== undefined && holds(difference);
  };
}
