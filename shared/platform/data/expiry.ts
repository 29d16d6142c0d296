/**
 * An item whose `ttl` has passed is absent: DynamoDB deletes it within days. Reads, counts and conditions of the table
 * leave it out at once. An index has only `summary` of an item, so its `ttl` is in there too.
 */
import { unixSeconds } from '../../core/time.ts';

/** A condition or a filter, with its values by their names. */
interface Expression {
  expression: string;
  values?: Record<string, unknown>;
}

type Attributes = Record<string, unknown>;

export type Clock = () => Date;

/** The name of the value that conditions and filters compare with. */
const moment = 'expiryMoment';

/** @param item Whole, or as an index has it. */
export function isExpired({ ttl, summary }: Attributes, now: Clock): boolean {
  const until = ttl ?? (summary as Attributes | undefined)?.ttl;
  return typeof until === 'number' && until <= unixSeconds(now());
}

/** What it asks of an entity. */
interface Kind {
  schema: { shape: object };
  index?: unknown;
}

const canExpire = ({ schema }: Kind): boolean => 'ttl' in schema.shape;

/** Whether an index has its items, and has to tell when they expire. */
export const isListedUntil = (entity: Kind): boolean => entity.index !== undefined && canExpire(entity);

/** Adds to the filter of a count that the items have not expired. Other reads see it by themselves, at less cost. */
export function filterUnexpired(
  filter: Expression | undefined,
  index: 1 | 2 | undefined,
  now: Clock,
): Required<Expression> {
  const ttl = index ? '#summary.#ttl' : '#ttl';
  const isLeft = `(attribute_not_exists(${ttl}) OR ${ttl} > :${moment})`;
  return {
    expression: filter ? `(${filter.expression}) AND ${isLeft}` : isLeft,
    values: { ...filter?.values, [moment]: unixSeconds(now()) },
  };
}

/** A condition for which an expired item is absent. */
export function ignoreExpired(entity: Kind, condition: Expression, now: Clock): Expression {
  if (!canExpire(entity)) return condition;
  const expression = condition.expression.replace(/attribute_(not_)?exists\(PK\)/g, (existence, isAbsent) =>
    isAbsent
      ? `(${existence} OR #ttl <= :${moment})`
      : `(${existence} AND (attribute_not_exists(#ttl) OR #ttl > :${moment}))`,
  );
  if (expression === condition.expression) return condition;
  return { expression, values: { ...condition.values, [moment]: unixSeconds(now()) } };
}

/** An item as its entity has it: without what only tells indexes when it expires. */
export function removeListedExpiry<Item extends Attributes>(item: Item): Item {
  const summary = item.summary as Attributes | undefined;
  if (summary && 'ttl' in summary) delete summary.ttl;
  return item;
}
