import { useState } from 'react';
import { type OperationResponse, useApi } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { productTexts } from '../../texts/products.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { ShownOnce } from '../../ui/dialogs/shown-once.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { CopyButton } from '../../ui/forms/copy-button.tsx';
import { TextBox } from '../../ui/forms/text-box.tsx';
import { failureText } from '../../ui/loading/failure-text.ts';
import { Empty } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { Time } from '../../ui/values/time.tsx';
import type { SurfaceIds } from './parts/place.ts';

interface Props {
  place: SurfaceIds;
  keys: OperationResponse<'surfaces.get'>['keys'];
}

/** The keys that call a surface, and nothing else. */
export function Keys({ place, keys }: Props) {
  const api = useApi();
  const { credential } = api;
  const [isCreating, setCreating] = useState(false);
  const [value, setValue] = useState<ShownKey>();
  const remove = useAction('surface-keys.delete', {
    onSuccess: () => notify(sharedTexts.keyDeleted),
  });

  async function reveal(keyId: string) {
    try {
      const params = { ...place, keyId };
      const { key } = await api.surfaceKeys.reveal({
        params,
      });
      setValue({ text: key, isNew: false });
    } catch (error) {
      notify(failureText(error as Error));
    }
  }

  return (
    <section aria-labelledby="keys">
      <div className="page-head">
        <h2 id="keys">{productTexts.keys}</h2>
        <Button onPress={() => setCreating(true)}>{sharedTexts.createKey}</Button>
      </div>
      {keys.length === 0 ? (
        <Empty title={productTexts.noKeys}>
          <p>{productTexts.aboutKeys}</p>
        </Empty>
      ) : (
        <Table
          label={productTexts.keys}
          rows={keys}
          keyOf={({ id }) => id}
          copyId={productTexts.copyKeyId}
          columns={[
            { title: sharedTexts.name, cell: ({ name, keyPrefix }) => <bdi>{name ?? keyPrefix}</bdi> },
            {
              title: sharedTexts.key,
              cell: (key) => <code>{`${key.keyPrefix}…${key.keyHint}`}</code>,
              isExtra: true,
            },
            { title: productTexts.environment, cell: ({ environment }) => environment, isExtra: true },
            {
              title: sharedTexts.lastUsed,
              cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
              isExtra: true,
            },
            {
              title: sharedTexts.actions,
              width: 'wide',
              cell: ({ id, name, canReveal, keyPrefix }) => (
                <span className="actions">
                  {canReveal && credential.kind === 'session' && (
                    <Button
                      look="quiet"
                      aria-label={productTexts.revealName(name ?? keyPrefix)}
                      onPress={() => reveal(id)}
                    >
                      {productTexts.reveal}
                    </Button>
                  )}
                  <ConfirmButton
                    look="quiet"
                    label={sharedTexts.deleteNamed(name ?? keyPrefix)}
                    title={sharedTexts.deleteQuestion(name ?? keyPrefix)}
                    question={productTexts.programsAreRefused}
                    confirm={sharedTexts.delete}
                    action={() => remove.mutateAsync({ params: { ...place, keyId: id } })}
                  >
                    {sharedTexts.delete}
                  </ConfirmButton>
                </span>
              ),
            },
          ]}
        />
      )}
      <EditDialog
        title={productTexts.createSurfaceKey}
        operation="surface-keys.create"
        params={place}
        value={{ name: '', environment: 'test' }}
        submit={sharedTexts.create}
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        onSaved={({ key }) => setValue({ text: key, isNew: true })}
      />
      <KeyDialog value={value} onClose={() => setValue(undefined)} />
    </section>
  );
}

interface ShownKey {
  text: string;
  /** Of a live key that was just made, no request returns the value again. */
  isNew: boolean;
}

interface KeyDialogProps {
  value: ShownKey | undefined;
  onClose: () => void;
}

/** The value of a key, which was just made or revealed. */
const KeyDialog = ({ value, onClose }: KeyDialogProps) => (
  <Dialog title={productTexts.theKey} isOpen={value !== undefined} onClose={onClose} role="alertdialog">
    {value?.isNew ? (
      <ShownOnce value={value.text} />
    ) : (
      <>
        <TextBox label={sharedTexts.theValue}>{value?.text ?? ''}</TextBox>
        <CopyButton text={value?.text ?? ''} />
      </>
    )}
    <div className="actions">
      <Button look="primary" onPress={onClose}>
        {value?.isNew ? sharedTexts.storedIt : sharedTexts.close}
      </Button>
    </div>
  </Dialog>
);
