import { schemas } from 'virtual:body-schemas';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { operations } from '../../../../packages/client/src/client.ts';
import type { OperationRequest } from '../../api/api.ts';
import type { EditedOperation } from '../../api/edited-operations.ts';
import { useAction } from '../../api/queries.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { useHeldDialog } from '../dialogs/dialog.tsx';
import { Button } from '../forms/button.tsx';
import { FailureNotice } from '../loading/failure.tsx';
import { fieldProblems } from '../loading/failure-text.ts';
import { initialValue } from '../schema-form/fields.ts';
import { SchemaForm } from '../schema-form/schema-form.tsx';
import type { JsonObject } from '../values/schema.ts';
import { bodyToSend } from './changed.ts';
import type { EditDialogProps } from './edit-dialog.tsx';

type Props = Omit<EditDialogProps<EditedOperation>, 'title' | 'isOpen'>;

export function EditForm({
  operation,
  params,
  value,
  hidden,
  shown,
  custom,
  changes,
  submit = sharedTexts.save,
  onSaved,
  onClose,
  children,
}: Props) {
  const schema = schemas[operation];
  const [body, setBody] = useState<JsonObject>(
    () => value ?? ((initialValue(schema, schema) ?? {}) as JsonObject),
  );
  const action = useAction(operation, {
    ...(changes && { changes }),
    onSuccess(answer) {
      onSaved?.(answer);
      onClose();
    },
  });
  const problems = useMemo(() => fieldProblems(action.error), [action.error]);
  // Its answer belongs to this dialog: a key that is shown once, or why it failed.
  useHeldDialog(action.isPending);

  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, textarea, select')?.focus(), []);

  function send(event: FormEvent) {
    event.preventDefault();
    const sent = bodyToSend(operation, schema, value, body, hidden);
    if (sent) action.mutate({ params, body: sent } as unknown as OperationRequest<EditedOperation>);
    else onClose();
  }

  return (
    <form ref={form} onSubmit={send} noValidate>
      {children}
      <SchemaForm
        schema={schema}
        problems={problems}
        isChange={operations[operation].method !== 'POST'}
        value={body}
        onChange={setBody}
        {...(hidden && { hidden })}
        {...(shown && { shown })}
        {...(custom && { custom })}
      />
      {action.error && <FailureNotice error={action.error} />}
      <div className="actions">
        <Button onPress={onClose} isPending={action.isPending}>
          {sharedTexts.cancel}
        </Button>
        <Button type="submit" look="primary" isPending={action.isPending}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
