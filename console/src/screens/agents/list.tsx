import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAction, usePages } from '../../api/queries.ts';
import { useNewInAddress } from '../../routing/new-in-address.ts';
import { ShownModel } from '../../run/models/shown-model.tsx';
import { agentTexts } from '../../texts/agents.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { SearchBox } from '../../ui/forms/search-box.tsx';
import { Link } from '../../ui/link.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { fieldProblems } from '../../ui/loading/failure-text.ts';
import { Empty } from '../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { DeleteMany } from '../../ui/selection/delete-many.tsx';
import { SelectionBar } from '../../ui/selection/selection-bar.tsx';
import { useSelection } from '../../ui/selection/use-selection.ts';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { Time } from '../../ui/values/time.tsx';
import { ModelField } from './parts/model-field.tsx';

/** Every agent, newest first. */
export function AgentList() {
  const [search, setSearch] = useState('');
  const [isCreating, setCreating] = useNewInAddress();
  const sought = useSettled(search.trim());
  const agents = usePages('agents.list', { query: sought ? { search: sought } : {} });
  const selection = useSelection(agents.rows, ({ name }) => name);
  const navigate = useNavigate();
  const create = (
    <div className="actions">
      <Link to="/templates?kind=agent" className="button plain">
        {sharedTexts.createFromTemplate}
      </Link>
      <Button look="primary" onPress={() => setCreating(true)}>
        {sharedTexts.createAgent}
      </Button>
    </div>
  );
  return (
    <ScreenPage title={sharedTexts.agents} actions={create}>
      <SelectionBar selection={selection}>
        <DeleteMany
          selection={selection}
          counted={sharedTexts.agentCount}
          operation="agents.delete"
          question={agentTexts.versionsOfThemAreDeletedToo}
          changes={['agents']}
        />
      </SelectionBar>
      <PagedTable
        tools={<SearchBox label={sharedTexts.searchByName} value={search} onChange={setSearch} />}
        label={sharedTexts.agents}
        pages={agents}
        keyOf={({ id }) => id}
        copyId={agentTexts.copyAgentId}
        selection={selection}
        empty={
          sought ? (
            <Empty title={agentTexts.noMatchingAgents} />
          ) : (
            <Empty title={agentTexts.noAgentsYet}>
              <p>{agentTexts.aboutAgents}</p>
              {create}
            </Empty>
          )
        }
        columns={[
          {
            title: sharedTexts.name,
            cell: ({ id, name }) => (
              <Link to={`/agents/${id}`}>
                <bdi>{name}</bdi>
              </Link>
            ),
          },
          {
            title: sharedTexts.model,
            cell: ({ config }) => <ShownModel of={config?.model} />,
            isExtra: true,
          },
          {
            title: sharedTexts.capabilities,
            cell: ({ capabilityCount }) => capabilityCount,
            isNumber: true,
            isExtra: true,
          },
          { title: sharedTexts.updated, cell: ({ updatedAt }) => <Time at={updatedAt} />, isExtra: true },
          { title: sharedTexts.lastRun, cell: ({ lastRunAt }) => <Time at={lastRunAt} /> },
        ]}
      />
      {isCreating && (
        <CreateAgent
          onClose={() => setCreating(false)}
          onCreated={(id) => navigate({ to: `/agents/${id}`, replace: true })}
        />
      )}
    </ScreenPage>
  );
}

interface Props {
  onClose: () => void;
  onCreated: (id: string) => void;
}

/** Asks for a name and a model only; the editor has the rest. */
function CreateAgent({ onClose, onCreated }: Props) {
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
