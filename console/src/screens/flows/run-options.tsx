import { useState } from 'react';
import { flowTexts } from '../../texts/flows.ts';
import { TextField } from '../../ui/forms/field.tsx';

/** How many records at a time, and how often each is tried again. */
export function useRunOptions() {
  const [concurrency, setConcurrency] = useState('10');
  const [retries, setRetries] = useState('0');
  const problems = { concurrency: within(concurrency, 1, 50), retries: within(retries, 0, 5) };
  return {
    options: { recordConcurrency: Number(concurrency), maxRetries: Number(retries) },
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
      </div>
    ),
  };
}

const within = (text: string, least: number, most: number) =>
  /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most
    ? undefined
    : flowTexts.wholeNumberFromTo(least, most);
