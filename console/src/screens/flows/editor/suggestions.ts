import { createContext, useContext, useMemo } from 'react';
import { useCall } from '../../../api/queries.ts';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import type { Suggestion } from '../../../ui/code/editor.ts';

/** The type of the records that the flow runs on, for the names of their fields. */
const Sample = createContext('');
export const SampleType = Sample.Provider;

const ofEveryRun: readonly Suggestion[] = [
  { label: '_record.id', detail: sharedTexts.theRecord },
  { label: '_record.name', detail: sharedTexts.theRecord },
  { label: '_record.type', detail: sharedTexts.theRecord },
  { label: '_record.metadata', detail: sharedTexts.theRecord },
];

/** What one may name at the cursor: fields of the record, results of earlier steps, secrets. */
export function useSuggestions(names: readonly string[]) {
  const type = useContext(Sample);
  const schema = useCall('records.schema', { query: { type } }, { enabled: type !== '' });
  const secrets = useCall('secrets.list');
  return useMemo(() => {
    const all = [
      ...names.map((label) => ({ label, detail: editorTexts.result })),
      ...ofEveryRun,
      ...(schema.data?.fields ?? []).map(({ name }) => ({ label: `_record.metadata.${name}`, detail: type })),
      ...(secrets.data?.data ?? []).map(({ key }) => ({
        label: `secret:${key}`,
        detail: editorTexts.secret,
      })),
    ];
    return (word: string) => all.filter(({ label }) => label.startsWith(word) || label.includes(`.${word}`));
  }, [names, schema.data, secrets.data, type]);
}
