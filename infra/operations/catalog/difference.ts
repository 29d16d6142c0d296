import type { CatalogData, ModelOffer } from '../../../shared/adapters/models/catalog.ts';

const nameOf = ({ provider, id }: ModelOffer) => `${provider}/${id}`;

/** What a new catalog changes, one line each: added and removed models, and changed prices and other facts. */
export function catalogDifferences(before: CatalogData, after: CatalogData): string[] {
  const [old, current] = [before, after].map(
    ({ offers }) => new Map(offers.map((offer) => [nameOf(offer), offer])),
  );
  const added = [...(current?.keys() ?? [])].filter((name) => !old?.has(name));
  const removed = [...(old?.keys() ?? [])].filter((name) => !current?.has(name));
  return [
    ...added.map((name) => `added ${name}`),
    ...removed.map((name) => `removed ${name}`),
    ...[...(current ?? [])].flatMap(([name, offer]) => [...changesOf(name, old?.get(name), offer)]),
  ];
}

function* changesOf(
  name: string,
  before: ModelOffer | undefined,
  after: ModelOffer,
): Generator<string, void> {
  if (!before) return;
  for (const member of Object.keys({ ...before, ...after }) as (keyof ModelOffer)[]) {
    const [was, is] = [before[member], after[member]].map((value) => JSON.stringify(value));
    if (was !== is) yield `${member} of ${name}: ${was} -> ${is}`;
  }
}
