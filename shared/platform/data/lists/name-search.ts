import type { ListSource } from './listing.ts';

/** The part of a list whose summaries have a text in `search`, which is the name in lower case; all without a text. */
export const nameSearch = (text: string | undefined): Pick<ListSource, 'filter'> =>
  text
    ? {
        filter: { expression: 'contains(#summary.#search, :search)', values: { search: text.toLowerCase() } },
      }
    : {};
