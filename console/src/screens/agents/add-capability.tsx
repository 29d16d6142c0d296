import { type FormEvent, useState } from 'react';
import { useAction, usePages } from '../../api/queries.ts';
import { agentTexts } from '../../texts/agents.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Choice } from '../../ui/forms/choice.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { fieldProblems } from '../../ui/loading/failure-text.ts';

const kinds = [
  { value: 'flowId', label: sharedTexts.flow },
  { value: 'subAgentId', label: sharedTexts.agent },
  { value: 'toolId', label: sharedTexts.tool },
] as const;
type Kind = (typeof kinds)[number]['value'];

export function AddCapability({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const [kind, setKind] = useState<Kind>('flowId');
  const [target, setTarget] = useState('');
  const [toolName, setToolName] = useState('');
  const [toolDescription, setDescription] = useState('');
  const add = useAction('agents.add-capability', { onSuccess: onClose });
  const problems = fieldProblems(add.error);
  function send(event: FormEvent) {
    event.preventDefault();
    const body = { toolName, ...(toolDescription && { toolDescription }), [kind]: target };
    add.mutate({ params: { id: agentId }, body });
  }
  return (
    <Dialog title={sharedTexts.addCapability} isOpen onClose={onClose} role="alertdialog">
      <form onSubmit={send} noValidate>
        <Choice
          label={agentTexts.whatItCalls}
          value={kind}
          options={kinds}
          onChange={(next) => {
            setKind(next);
            setTarget('');
          }}
        />
        <Target kind={kind} agentId={agentId} value={target} onChange={setTarget} problem={problems[kind]} />
        <TextField
          label={sharedTexts.name}
          help={agentTexts.nameForModel}
          value={toolName}
          onChange={setToolName}
          problem={problems.toolName}
          isRequired
        />
        <TextField
          label={sharedTexts.description}
          help={agentTexts.descriptionForModel}
          lines={3}
          value={toolDescription}
          onChange={setDescription}
          problem={problems.toolDescription}
        />
        {add.error && <FailureNotice error={add.error} />}
        <div className="actions">
          <Button onPress={onClose}>{sharedTexts.cancel}</Button>
          <Button type="submit" look="primary" isPending={add.isPending}>
            {sharedTexts.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface TargetProps {
  kind: Kind;
  agentId: string;
  value: string;
  onChange: (value: string) => void;
  problem: string | undefined;
}

/** The newest hundred by name; one of the others by its id. */
function Target({ kind, agentId, value, onChange, problem }: TargetProps) {
  const newest = { limit: 100 };
  const flows = usePages('flows.list', {}, { ...newest, enabled: kind === 'flowId' });
  const agents = usePages('agents.list', {}, { ...newest, enabled: kind === 'subAgentId' });
  const tools = usePages('tools.list', {}, { ...newest, enabled: kind === 'toolId' });
  const { rows, error } = { flowId: flows, subAgentId: agents, toolId: tools }[kind];
  const options = (rows ?? [])
    .filter(({ id }) => id !== agentId)
    .map(({ id, name }) => ({ value: id, label: name }));
  const isListed = value === '' || options.some((each) => each.value === value);
  return (
    <>
      {error && <FailureNotice error={error} />}
      <Choice
        label={agentTexts.target}
        value={isListed ? value : ''}
        options={[{ value: '', label: agentTexts.chooseOrEnterId }, ...options]}
        onChange={onChange}
      />
      <TextField label={sharedTexts.id} value={value} onChange={onChange} problem={problem} isRequired />
    </>
  );
}
