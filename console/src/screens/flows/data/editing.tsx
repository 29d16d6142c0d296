import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { useCall } from '../../../api/queries.ts';
import type { DispatchRunBody } from '../../../run/use-dispatch.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { useKeptText } from '../../../ui/kept-choice.ts';
import type { Step } from '../steps/steps.ts';
import type { KeptResult } from './kept-results.ts';
import { Marks } from './marks.tsx';
import { chosenRecord, initialSampleChoice, type SampleChoice } from './sample-record.tsx';

interface Editing {
  flowId: string;
  flowName: string;
  /** As they are now, saved or not. */
  steps: readonly Step[];
  sample: SampleChoice;
  setSample: (sample: SampleChoice) => void;
  /** What steps did in runs of the editor, by their ids. */
  kept: ReadonlyMap<string, KeptResult>;
  keep: (results: ReadonlyMap<string, KeptResult>) => void;
  forget: () => void;
}

const Context = createContext<Editing | undefined>(undefined);

/** The flow as a whole, for what one sees beside the form of a step. */
export function useEditing(): Editing {
  const editing = useContext(Context);
  if (!editing) throw new Error('Not in the editor of a flow');
  return editing;
}

interface Props {
  flow: { id: string; name: string };
  steps: readonly Step[];
  children: ReactNode;
}

export function EditingProvider({ flow: { id: flowId, name: flowName }, steps, children }: Props) {
  const [sample, setSample] = useKeptSample(flowId);
  const [kept, setKept] = useState<ReadonlyMap<string, KeptResult>>(new Map());
  const editing: Editing = {
    flowId,
    flowName,
    steps,
    sample,
    setSample,
    kept,
    keep: (results) => setKept((before) => new Map([...before, ...results])),
    forget: () => setKept(new Map()),
  };
  return (
    <Context value={editing}>
      <Marks>{children}</Marks>
    </Context>
  );
}

/** The choice of a sample record, kept for each flow in this browser. */
function useKeptSample(flowId: string): [SampleChoice, (sample: SampleChoice) => void] {
  const [text, setText] = useKeptText(`sample-record:${flowId}`);
  const sample = useMemo(() => {
    try {
      return { ...initialSampleChoice, ...JSON.parse(text ?? '{}') } as SampleChoice;
    } catch {
      return initialSampleChoice;
    }
  }, [text]);
  return [sample, (next) => setText(JSON.stringify(next))];
}

export interface SampleRecordNow {
  /** For requests; without a record, undefined. */
  sent: DispatchRunBody['record'];
  /** As runs see it. */
  seen: unknown;
  name: string;
  /** Whether it is not known yet which record it is. */
  isLoading: boolean;
}

/** The sample record: without a choice, the newest one. */
export function useSampleRecord(): SampleRecordNow {
  const { sample } = useEditing();
  const isStored = sample.source === 'stored';
  const query = { limit: 1, includeFields: 'name', ...(sample.type && { type: sample.type }) };
  const newest = useCall('records.list', { query }, { enabled: isStored && !sample.recordId });
  const id = isStored ? sample.recordId || newest.data?.data[0]?.id : undefined;
  const stored = useCall('records.get', { params: { id: id ?? '' } }, { enabled: !!id });
  return useMemo(() => {
    if (sample.source === 'own')
      return {
        sent: chosenRecord(sample),
        seen: sample.own,
        name: stepDataTexts.aCustomRecord,
        isLoading: false,
      };
    if (!isStored || (!id && !newest.isLoading))
      return { sent: undefined, seen: undefined, name: stepDataTexts.withoutRecord, isLoading: false };
    const lastRecord = stored.data && seenRecord(stored.data);
    return {
      sent: id ? { id } : undefined,
      seen: lastRecord,
      name: stored.data?.name ?? (stored.error ? stepDataTexts.unreadableRecord : '…'),
      isLoading: !id,
    };
  }, [id, isStored, newest.isLoading, sample, stored.data, stored.error]);
}

const seenRecord = ({ id, name, type, metadata }: OperationResponse<'records.get'>) => ({
  id,
  name,
  type,
  metadata,
});
