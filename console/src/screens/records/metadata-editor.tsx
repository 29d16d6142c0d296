import { lazy, Suspense, useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { recordTexts } from '../../texts/records.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { LeaveQuestion } from '../../ui/dialogs/leave-question.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Loading } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { useCarefulSave } from '../../ui/resource/careful-save.tsx';
import type { BegunEdit } from '../../ui/resource/edit-fresh.tsx';
import { parseExactly } from '../../ui/values/exact-json.ts';
import { isObject } from '../../ui/values/schema.ts';

const CodeEditor = lazy(async () => ({
  default: (await import('../../ui/code/code-editor.tsx')).CodeEditor,
}));

type Stored = OperationResponse<'records.get'>;

/** Changes the metadata of a record as JSON. */
export function MetadataEditor({ onClose, ...begun }: BegunEdit<Stored> & { onClose: () => void }) {
  const [before] = useState(() => JSON.stringify(begun.stored.metadata, undefined, 2));
  const [text, setText] = useState(before);
  const [notJson, setNotJson] = useState<string>();
  const put = useAction('records.update');
  const { save, isPending, problem } = useCarefulSave({
    ...begun,
    contentOf: ({ metadata }: Stored) => metadata,
    async write({ id }) {
      const metadata = parseExactly(text);
      const written = await put.mutateAsync({ params: { id }, body: { metadata } } as never);
      notify(sharedTexts.saved);
      onClose();
      return written;
    },
  });

  function send() {
    const wrong = problemOf(text);
    setNotJson(wrong);
    if (!wrong) save().catch(shown);
  }

  return (
    <>
      <Suspense fallback={<Loading />}>
        <CodeEditor
          label={recordTexts.metadataAsJson}
          language="json"
          value={text}
          onChange={setText}
          problem={notJson}
        />
      </Suspense>
      {problem}
      <div className="actions">
        <Button onPress={onClose}>{sharedTexts.cancel}</Button>
        <Button look="primary" onPress={send} isPending={isPending}>
          {sharedTexts.save}
        </Button>
      </div>
      <LeaveQuestion isChanged={text !== before}>{recordTexts.unsavedChangesOfMetadata}</LeaveQuestion>
    </>
  );
}

/** By `problem`. */
const shown = () => {};

function problemOf(text: string): string | undefined {
  const expected = recordTexts.expectedAJsonObject;
  try {
    return isObject(parseExactly(text)) ? undefined : expected;
  } catch (error) {
    return `${expected}. ${(error as Error).message}`;
  }
}
