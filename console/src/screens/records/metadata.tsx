import { useState } from 'react';
import { recordTexts } from '../../texts/records.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { EditFresh } from '../../ui/resource/edit-fresh.tsx';
import { Value } from '../../ui/values/value.tsx';
import { MetadataEditor } from './metadata-editor.tsx';

type Values = Record<string, unknown>;

/** The metadata of a record, which can be changed as JSON. */
export function RecordMetadata({ id, metadata }: { id: string; metadata: Values }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <section aria-labelledby="metadata">
      <div className="page-head">
        <h2 id="metadata">{recordTexts.metadata}</h2>
        {!isEditing && <Button onPress={() => setEditing(true)}>{sharedTexts.edit}</Button>}
      </div>
      {isEditing ? (
        <EditFresh operation="records.get" request={{ params: { id } }}>
          {(begun) => <MetadataEditor {...begun} onClose={() => setEditing(false)} />}
        </EditFresh>
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
  if (entries.length === 0) return <Empty title={recordTexts.noMetadata} />;
  if (entries.length > fieldsMax) return <Value of={metadata} label={recordTexts.metadata} />;
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
