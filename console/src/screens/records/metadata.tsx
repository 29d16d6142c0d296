import { lazy, Suspense, useState } from 'react';
import { useAction } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Empty, Loading } from '../../ui/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { Value } from '../../ui/value.tsx';

const CodeEditor = lazy(async () => ({
  default: (await import('../../ui/code/code-editor.tsx')).CodeEditor,
}));

type Values = Record<string, unknown>;

/** The metadata of a record, which can be changed as JSON. */
export function Metadata({ id, metadata }: { id: string; metadata: Values }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <section aria-labelledby="metadata">
      <div className="page-head">
        <h2 id="metadata">Metadata</h2>
        {!isEditing && <Button onPress={() => setEditing(true)}>Edit</Button>}
      </div>
      {isEditing ? (
        <Editor id={id} metadata={metadata} onClose={() => setEditing(false)} />
      ) : (
        <Fields metadata={metadata} />
      )}
    </section>
  );
}

/** So many fields are shown each by itself; more are shown as JSON. */
const fieldsMax = 200;
const shortMax = 300;

function Fields({ metadata }: { metadata: Values }) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return <Empty title="No metadata" />;
  if (entries.length > fieldsMax) return <Value of={metadata} label="Metadata" />;
  return (
    <dl className="records-fields">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>{isShort(value) ? <bdi>{String(value)}</bdi> : <Value of={value} label={name} />}</dd>
        </div>
      ))}
    </dl>
  );
}

const isShort = (value: unknown) =>
  value === null || (typeof value !== 'object' && String(value).length <= shortMax);

function Editor({ id, metadata, onClose }: { id: string; metadata: Values; onClose: () => void }) {
  const [text, setText] = useState(() => JSON.stringify(metadata, undefined, 2));
  const [problem, setProblem] = useState<string>();
  const save = useAction('PUT /v1/records/{id}', {
    onSuccess() {
      notify('Saved');
      onClose();
    },
  });

  function send() {
    const parsed = objectIn(text);
    setProblem(parsed ? undefined : 'Expected a JSON object: {"name": "value"}');
    if (parsed) save.mutate({ params: { id }, body: { metadata: parsed } } as never);
  }

  return (
    <>
      <Suspense fallback={<Loading />}>
        <CodeEditor
          label="Metadata as JSON"
          language="json"
          value={text}
          onChange={setText}
          problem={problem}
        />
      </Suspense>
      {save.error && <Failure error={save.error} />}
      <div className="actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" onPress={send} isPending={save.isPending}>
          Save
        </Button>
      </div>
    </>
  );
}

function objectIn(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Values)
      : undefined;
  } catch {
    return undefined;
  }
}
