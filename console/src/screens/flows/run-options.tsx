import { useState } from 'react';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { valueText } from '../../texts/values.ts';
import { Choice } from '../../ui/forms/choice.tsx';
import { TextField } from '../../ui/forms/field.tsx';

export type Priority = 'high' | 'normal' | 'low';

/** How many records at a time, how often each is tried again, and its rank among the runs of the tenant. */
export function useRunOptions() {
  const [concurrency, setConcurrency] = useState('10');
  const [retries, setRetries] = useState('0');
  const [priority, setPriority] = useState<Priority>('normal');
  const problems = { concurrency: within(concurrency, 1, 50), retries: within(retries, 0, 5) };
  return {
    options: { recordConcurrency: Number(concurrency), maxRetries: Number(retries), priority },
    isValid: !problems.concurrency && !problems.retries,
    fields: (
      <div className="runs-options">
        <TextField
          label={flowTexts.concurrency}
          help={flowTexts.fromTo(1, 50)}
          inputMode="numeric"
          value={concurrency}
          onChange={setConcurrency}
          problem={problems.concurrency}
        />
        <TextField
          label={flowTexts.retriesPerRecord}
          help={flowTexts.retriesFromTo(0, 5)}
          inputMode="numeric"
          value={retries}
          onChange={setRetries}
          problem={problems.retries}
        />
        <Choice
          label={sharedTexts.priority}
          help={flowTexts.priorityHelp}
          value={priority}
          options={(['high', 'normal', 'low'] as const).map((value) => ({ value, label: valueText(value) }))}
          onChange={setPriority}
        />
      </div>
    ),
  };
}

const within = (text: string, least: number, most: number) =>
  /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most
    ? undefined
    : flowTexts.wholeNumberFromTo(least, most);
