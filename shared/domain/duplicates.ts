import { type ErrorDetail, toDetail } from '../core/errors/errors.ts';

/** The items of a list whose name an earlier one has. */
export function findDuplicates<Name extends string>(
  list: readonly Record<Name, string>[],
  name: Name,
  path: readonly PropertyKey[],
): ErrorDetail[] {
  const names = list.map((item) => item[name]);
  return names.flatMap((value, index) =>
    names.indexOf(value) === index
      ? []
      : [
          toDetail(
            [...path, index, name],
            'DUPLICATE_KEY',
            `"${value}" occurs twice. Choose another ${name}`,
          ),
        ],
  );
}
