/**
 * The ids of records that an import creates: of the import's time, the end of the import's id, and the number of the row.
 *
 * So a chunk that is delivered again makes the same ids and creates nothing twice, and the records of an import are one range
 * of every index of records, in the order of the rows: listing or deleting them reads no others.
 */

const crockford = '0123456789abcdefghjkmnpqrstvwxyz';
const rowDigits = 8;

/** Another import of the same millisecond has the same with a probability of 2^-40. */
function toPrefix(importId: string): string {
  const suffix = importId.slice('import_'.length);
  return `record_${suffix.slice(0, 10)}${suffix.slice(-rowDigits)}`;
}

/** @param row From 1. */
export function toImportedId(importId: string, row: number): string {
  let digits = '';
  for (let left = row; digits.length < rowDigits; left = Math.floor(left / 32)) {
    digits = crockford[left % 32] + digits;
  }
  return toPrefix(importId) + digits;
}

/** The number of the row that created a record. */
export const toImportedRow = (id: string): number =>
  [...id.slice(-rowDigits)].reduce((row, digit) => row * 32 + crockford.indexOf(digit), 0);

/** The bounds of the ids of an import's records. */
export const importedIds = (importId: string) => ({
  from: toPrefix(importId) + '0'.repeat(rowDigits),
  to: toPrefix(importId) + 'z'.repeat(rowDigits),
});
