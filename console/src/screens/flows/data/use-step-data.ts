import { schemas as effects } from 'virtual:step-effects';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi } from '../../../api/api.ts';
import { emptyFlowRun, withFlowEvents } from '../../../run/flow-run.ts';
import type { RunEvent } from '../../../run/parts/events.ts';
import type { DispatchRunBody } from '../../../run/use-dispatch.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { useSettled } from '../../../ui/use-settled.ts';
import type { Step } from '../steps/steps.ts';
import { type SampleRecordNow, useEditing, useSampleRecord } from './editing.tsx';
import { resultIdentity } from './kept-results.ts';
import { type EditorRunPlan, isWait, livePlan } from './plan.ts';
import { variablesBefore } from './variables.ts';

/** Whether a step costs something, or has effects outside of the run. */
export const acts = ({ type, enabled }: Step) =>
  enabled !== false && effects[type] !== false && !isWait({ type });

/** The rules of runs in the editor: results that still count are used again. */
function useRules(record: DispatchRunBody['record']) {
  const { kept } = useEditing();
  return useMemo(() => {
    const outcomeOf = (step: Step) => {
      const result = kept.get(step.id);
      return result && result.of === resultIdentity(step, record) ? result : undefined;
    };
    return { acts, outcomeOf };
  }, [kept, record]);
}

/** Runs of the editor are runs of their own: they are not runs of the flow in lists and numbers. */
export const editorRunRequest = (
  flowName: string,
  plan: EditorRunPlan,
  record: DispatchRunBody['record'],
): DispatchRunBody =>
  ({
    flow: { name: stepDataTexts.runOfEditor(flowName).slice(0, 255), steps: plan.steps },
    ...(Object.keys(plan.inputs).length > 0 && { inputs: plan.inputs }),
    ...(record && { record }),
    // D93
    options: { debugMode: true, storeResults: false, tags: ['editor'] },
  }) as unknown as DispatchRunBody;

/**
 * The data of a step on the sample record, half a second after the last edit: what costs nothing runs at once.
 * @param inItsPlace What runs instead of the step itself.
 */
export function useStepData(id: string, inItsPlace: (step: Step) => readonly Step[] = itself) {
  const { flowName, steps: now } = useEditing();
  const steps = useSettled(now);
  const record = useSampleRecord();
  const rules = useRules(record.sent);
  const plan = useMemo(() => livePlan(steps, id, rules, inItsPlace), [steps, id, rules, inItsPlace]);
  const isReady = !record.isLoading && plan.steps.length > 0;
  const request = useMemo(
    () => (isReady ? editorRunRequest(flowName, plan, record.sent) : undefined),
    [isReady, flowName, plan, record.sent],
  );
  const live = useLiveRun(id, request);
  const run = isReady ? live.data : emptyFlowRun;
  return {
    steps,
    record,
    rules,
    waitsFor: plan.waitsFor,
    run,
    error: live.error,
    isUpdating: live.isFetching || steps !== now || record.isLoading,
    variables: useMemo(
      () => variablesBefore(id, { steps, record: record.seen, run }),
      [id, steps, record.seen, run],
    ),
  };
}
export type StepDataNow = ReturnType<typeof useStepData> & { record: SampleRecordNow };

/** Steps without effects are tried as they are; the others are not run. */
const itself = (step: Step) => (acts(step) ? [] : [step]);

function useLiveRun(id: string, request: DispatchRunBody | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['step-data', id, request],
    async queryFn({ signal }) {
      const all: RunEvent[] = [];
      for await (const event of api.dispatch.stream({ body: request as DispatchRunBody, signal }))
        all.push(event);
      return withFlowEvents(emptyFlowRun, all);
    },
    enabled: request !== undefined,
    // What the step had before its last edit, until it is known anew.
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
}
