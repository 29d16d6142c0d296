import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi } from '../../../api/api.ts';
import { useSettled } from '../../../ui/use-settled.ts';
import type { Step } from '../steps/steps.ts';
import { groupFindings } from './findings.ts';

export type FlowFindings = ReturnType<typeof useFindings>;

/** What the service says about the steps, half a second after the last edit. */
export function useFindings(name: string, steps: readonly Step[]) {
  const api = useApi();
  const settled = useSettled(steps);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['validation', settled],
    queryFn: ({ signal }) => api.public.validateFlow({ body: { name, flowSteps: settled }, signal }),
    placeholderData: (before) => before,
    gcTime: 0,
    retry: false,
  });
  return {
    /** Of earlier steps while it is checking. */
    findings: useMemo(() => groupFindings(data), [data]),
    isChecking: isFetching || settled !== steps,
    error,
    retry: () => refetch(),
  };
}
