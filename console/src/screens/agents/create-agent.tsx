import { type FormEvent, useState } from 'react';
import { useAction } from '../../api/queries.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { fieldProblems } from '../../ui/loading/failure-text.ts';
import { ModelField } from './parts/model-field.tsx';

interface Props {
  onClose: () => void;
  onCreated: (id: string) => void;
}

/** Asks for a name and a model only; the editor has the rest. */
export function CreateAgent({ onClose, onCreated }: Props) {
  const [name, setName] = useState('');
  const [model, setModel] = useState('');
  const create = useAction('agents.create', { onSuccess: ({ id }) => onCreated(id) });
  const problems = fieldProblems(create.error);
  function send(event: FormEvent) {
    event.preventDefault();
    create.mutate({ body: { name, config: model ? { model } : {} } });
  }
  return (
    <Dialog title={sharedTexts.createAgent} isOpen onClose={onClose} role="alertdialog">
      <form onSubmit={send} noValidate>
        <TextField
          label={sharedTexts.name}
          value={name}
          onChange={setName}
          problem={problems.name}
          isRequired
          autoFocus
        />
        <ModelField value={model} onChange={setModel} problem={problems['config.model']} />
        {create.error && <FailureNotice error={create.error} />}
        <div className="actions">
          <Button onPress={onClose}>{sharedTexts.cancel}</Button>
          <Button type="submit" look="primary" isPending={create.isPending}>
            {sharedTexts.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
