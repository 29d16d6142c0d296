import {
  type ListedItem,
  type ListSource,
  newestRow,
  type PostFilter,
} from '../../platform/data/lists/listing.ts';
import type { TenantTable } from '../../platform/data/table.ts';

interface Distinct {
  source: ListSource;
  ofType: (type: string) => ListSource;
  /** The type of the list, if it has only one. */
  type: string | undefined;
}

const entriesPerQuery = 1_000;
const entriesAtOnce = 100;
/** If records of every type may have to be read. */
const recordsAtOnce = 10;

/** Uses the type's own index, so that a page needs no earlier state. Beyond the lookup limit, a type may repeat on two pages. */
export function distinctPostFilter(table: TenantTable, { source, ofType, type }: Distinct): PostFilter {
  const newest = new Map<unknown, string | undefined>();

  async function look(type: string): Promise<number> {
    const { row, stoppedAt, units } = await newestRow(table, ofType(type));
    if (stoppedAt === undefined) newest.set(type, row?.id as string | undefined);
    return units + 1;
  }

  const isNewest = (row: ListedItem) => {
    if (!newest.has(row.type)) newest.set(row.type, row.id as string);
    return newest.get(row.type) === row.id;
  };

  return {
    entriesPerQuery: source.postFilter?.entriesPerQuery ?? entriesPerQuery,
    batchSize: source.postFilter ? recordsAtOnce : entriesAtOnce,
    async keep(entries) {
      const { rows, units } = (await source.postFilter?.keep(entries)) ?? { rows: entries, units: 0 };
      const unknown = new Set(rows.map(({ type }) => type as string).filter((type) => !newest.has(type)));
      const spent = await Promise.all([...unknown].map(look));
      const kept = rows.filter(isNewest);
      return {
        rows: kept,
        units: spent.reduce((sum, each) => sum + each, units),
        last: type !== undefined && kept.length > 0,
      };
    },
  };
}
