import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSettled } from '../../../ui/use-settled.ts';

/** The selected span, which is in the address, so that a link shows it. Written there when the arrow keys rest. */
export function useSelectedSpan(): [string | undefined, (spanId: string) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const inAddress = search.span === undefined ? undefined : String(search.span);
  const [selected, select] = useState(inAddress);
  const settled = useSettled(selected, 200);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a selection changes the address
  useEffect(() => {
    if (settled !== inAddress && settled !== undefined)
      navigate({ to: '.', search: { ...search, span: settled }, replace: true, resetScroll: false } as never);
  }, [settled]);
  return [selected, select];
}
