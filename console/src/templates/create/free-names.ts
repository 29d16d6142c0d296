import type { Client } from '../../../../packages/client/src/client.ts';
import { templateTexts } from '../../texts/templates.ts';

type Named = 'flows.list' | 'agents.list' | 'products.list';

const numbersMost = 100;

/** `Name`, or `Name 2` if something is called so already. */
export async function freeName(api: Client, operation: Named, name: string): Promise<string> {
  const { data } = await api.call(operation, { query: { search: name, limit: 100 } });
  const taken = new Set((data as readonly { name: string }[]).map((each) => each.name));
  return firstFree(
    (number) => (number === 1 ? name : `${name} ${number}`),
    (each) => taken.has(each),
  );
}

/** `type`, or `type-2` if there are records of this type already. */
export const freeType = (api: Client, type: string): Promise<string> =>
  firstFree(
    (number) => (number === 1 ? type : `${type}-${number}`),
    async (each) => {
      const { data } = await api.records.list({
        query: { type: each, limit: 1, includeFields: 'name' },
      });
      return data.length > 0;
    },
  );

async function firstFree(
  nameOf: (number: number) => string,
  isTaken: (name: string) => boolean | Promise<boolean>,
): Promise<string> {
  for (let number = 1; number <= numbersMost; number++) {
    if (!(await isTaken(nameOf(number)))) return nameOf(number);
  }
  throw new Error(templateTexts.namesTaken(nameOf(1), numbersMost - 1));
}

/** A value in which each `%type%` is replaced by the type that its records got. */
export function withTypes<Value>(value: Value, types: Readonly<Record<string, string>>): Value {
  const text = JSON.stringify(value);
  const filled = Object.entries(types).reduce(
    (before, [type, name]) => before.replaceAll(`%${type}%`, JSON.stringify(name).slice(1, -1)),
    text,
  );
  return JSON.parse(filled);
}
