import * as z from 'zod';

/** What the text of a query parameter stands for, as the reference describes it. */
const describeAs = (asJson: Record<string, unknown>) => ({ asJson });

export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, 'Expected a whole number')
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .meta(describeAs({ type: 'integer', minimum: least, maximum: most }));

export const Flag = z.enum(['true', 'false']).meta(describeAs({ type: 'boolean' }));

/** One of these whole numbers. */
export const oneOfNumbers = (numbers: readonly number[], error: string) =>
  z
    .enum(numbers.map(String), error)
    .transform(Number)
    .meta(describeAs({ type: 'integer', enum: numbers }));

/** Some of these names, separated by commas. */
export const listOfNames = <const Name extends string>(names: readonly Name[]) =>
  z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(names)))
    .meta({
      description: 'One or more, separated by commas',
      ...describeAs({ type: 'array', items: { type: 'string', enum: names }, minItems: 1 }),
    });

/** A time with its zone. */
export const Moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** Rejects a range that ends before it begins. */
export function checkRange({
  value,
  issues,
}: z.core.ParsePayload<{ from?: Date | undefined; to?: Date | undefined }>) {
  const { from, to } = value;
  if (from && to && from > to)
    issues.push({ code: 'custom', path: ['to'], message: '`to` is before `from`', input: to });
}
