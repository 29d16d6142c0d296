import { useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useApi } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { ShownOnce } from '../../ui/dialogs/shown-once.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { CopyButton } from '../../ui/forms/copy-button.tsx';
import { TextBox } from '../../ui/forms/text-box.tsx';
import { explanationOf } from '../../ui/loading/failure-text.ts';
import { Empty } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { Time } from '../../ui/values/time.tsx';
import type { Place } from './place.ts';

interface Props {
  place: Place;
  keys: AnswerOf<'GET /v1/products/{id}/surfaces/{surfaceId}'>['keys'];
}

/** The keys that call a surface, and nothing else. */
export function Keys({ place, keys }: Props) {
  const { call, credential } = useApi();
  const [isCreating, setCreating] = useState(false);
  const [value, setValue] = useState<{ text: string; isNew: boolean }>();
  const remove = useAction('DELETE /v1/products/{id}/surfaces/{surfaceId}/keys/{keyId}', {
    onSuccess: () => notify('Key deleted'),
  });

  async function reveal(keyId: string) {
    try {
      const params = { ...place, keyId };
      const { key } = await call('GET /v1/products/{id}/surfaces/{surfaceId}/keys/{keyId}/reveal', {
        params,
      });
      setValue({ text: key, isNew: false });
    } catch (error) {
      notify(explanationOf(error as Error));
    }
  }

  return (
    <section aria-labelledby="keys">
      <div className="page-head">
        <h2 id="keys">Keys</h2>
        <Button onPress={() => setCreating(true)}>Create key</Button>
      </div>
      {keys.length === 0 ? (
        <Empty title="No keys">
          <p>A key of a surface calls its items, and nothing else: give each caller one.</p>
        </Empty>
      ) : (
        <Table
          label="Keys"
          rows={keys}
          keyOf={({ id }) => id}
          copyId="Copy key ID"
          columns={[
            { title: 'Name', cell: ({ name, keyPrefix }) => <bdi>{name ?? keyPrefix}</bdi> },
            { title: 'Key', cell: (key) => <code>{`${key.keyPrefix}…${key.keyHint}`}</code>, isExtra: true },
            { title: 'Environment', cell: ({ environment }) => environment, isExtra: true },
            { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />, isExtra: true },
            {
              title: 'Actions',
              width: 'wide',
              cell: ({ id, name, canReveal, keyPrefix }) => (
                <span className="actions">
                  {canReveal && credential.kind === 'session' && (
                    <Button
                      look="quiet"
                      aria-label={`Reveal ${name ?? keyPrefix}`}
                      onPress={() => reveal(id)}
                    >
                      Reveal
                    </Button>
                  )}
                  <ConfirmButton
                    look="quiet"
                    label={`Delete ${name ?? keyPrefix}`}
                    title={`Delete ${name ?? keyPrefix}?`}
                    question="Programs that use this key are refused at once. This cannot be undone."
                    confirm="Delete"
                    action={() => remove.mutateAsync({ params: { ...place, keyId: id } })}
                  >
                    Delete
                  </ConfirmButton>
                </span>
              ),
            },
          ]}
        />
      )}
      <EditDialog
        title="Create surface key"
        route="POST /v1/products/{id}/surfaces/{surfaceId}/keys"
        params={place}
        value={{ name: '', environment: 'test' }}
        submit="Create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        onSaved={({ key }) => setValue({ text: key, isNew: true })}
      />
      <Dialog
        title="The key"
        isOpen={value !== undefined}
        onClose={() => setValue(undefined)}
        role="alertdialog"
      >
        {value?.isNew ? (
          <ShownOnce value={value.text} />
        ) : (
          <>
            <TextBox label="The value">{value?.text ?? ''}</TextBox>
            <CopyButton text={value?.text ?? ''} />
          </>
        )}
        <div className="actions">
          <Button look="primary" onPress={() => setValue(undefined)}>
            {value?.isNew ? 'I stored it' : 'Close'}
          </Button>
        </div>
      </Dialog>
    </section>
  );
}
