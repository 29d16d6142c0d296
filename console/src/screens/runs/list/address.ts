import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  type AddressFilters,
  type FilterName,
  parseAddressFilters,
  type RunFilters,
} from '../data/filters.ts';

interface ListAddress extends AddressFilters {
  /** The id of the run beside the list. */
  preview: string | undefined;
  /** Sets a filter, or removes it. The back button undoes it. */
  setFilter: (name: FilterName, value: string | undefined) => void;
  clear: () => void;
  setPreview: (id: string | undefined) => void;
}

/** What the address of the list holds, so that a link shows the same. */
export function useListAddress(): ListAddress {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const read = parseAddressFilters(search);
  const preview = typeof search.preview === 'string' ? search.preview : undefined;
  const go = (filters: RunFilters, shown: string | undefined, replace: boolean) => {
    const { preview: _, ...rest } = { preview: undefined, ...filters };
    navigate({
      to: '.',
      search: { ...rest, ...(shown && { preview: shown }) },
      replace,
      resetScroll: false,
    } as never);
  };
  return {
    ...read,
    preview,
    setFilter(name, value) {
      const { [name]: _, ...rest } = read.filters;
      go(value === undefined ? rest : { ...read.filters, [name]: value }, undefined, false);
    },
    clear: () => go({}, undefined, false),
    setPreview: (id) => go(read.filters, id, true),
  };
}
