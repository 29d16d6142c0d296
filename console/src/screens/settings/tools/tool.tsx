import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { useAction, useCall, usePages } from '../../../api/queries.ts';
import { useParam } from '../../../routing/screens.ts';
import { countText } from '../../../texts/language.ts';
import { settingsTexts } from '../../../texts/settings.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { MoreMenu } from '../../../ui/dialogs/confirm-button.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { Link } from '../../../ui/link.tsx';
import { Empty, Loaded } from '../../../ui/loading/loaded.tsx';
import { notify } from '../../../ui/notices.tsx';
import { EditForm } from '../../../ui/resource/edit-form.tsx';
import { EditFresh } from '../../../ui/resource/edit-fresh.tsx';
import { toLabel } from '../../../ui/schema-form/labels.ts';
import { StatusLabel } from '../../../ui/status.tsx';
import { PagedTable } from '../../../ui/tables/paged-table.tsx';
import { ShownId } from '../../../ui/values/copy-id.tsx';
import { Time } from '../../../ui/values/time.tsx';
import { Value } from '../../../ui/values/value.tsx';
import { runPath } from '../../runs/data/run-path.ts';
import { SettingsPage } from '../layout/settings-page.tsx';
import { toolFields } from './tool-fields.tsx';
import { TryTool } from './try-tool.tsx';

type Tool = OperationResponse<'tools.get'>;

/** A tool, of the tenant or built in: what it is, a try, and its last runs. */
export function OneTool() {
  const id = useParam('toolId');
  const tool = useCall('tools.get', { params: { id } });
  return (
    <SettingsPage
      title={tool.data?.name ?? sharedTexts.tool}
      above={above}
      id={<ShownId id={id} label={settingsTexts.copyToolId} />}
      actions={tool.data && tool.data.toolType !== 'builtin' && <Actions tool={tool.data} />}
    >
      <Loaded of={tool}>
        {(storedTool) => (
          <div className="stack">
            <Facts tool={storedTool} />
            <TryTool key={`${id} ${storedTool.updatedAt}`} tool={storedTool} />
            <ToolRuns id={id} />
          </div>
        )}
      </Loaded>
    </SettingsPage>
  );
}

const above = [{ to: '/settings/tools', label: sharedTexts.tools }];

function Actions({ tool: { id, name } }: { tool: Tool }) {
  const [isEditing, setEditing] = useState(false);
  const navigate = useNavigate();
  const remove = useAction('tools.delete', {
    onSuccess() {
      notify(settingsTexts.toolDeleted);
      return navigate({ to: '/settings/tools' });
    },
  });
  return (
    <>
      <Button look="primary" onPress={() => setEditing(true)}>
        {sharedTexts.edit}
      </Button>
      <MoreMenu
        title={sharedTexts.deleteQuestion(name)}
        question={settingsTexts.callsOfToolFail}
        confirm={sharedTexts.delete}
        action={() => remove.mutateAsync({ params: { id } })}
      >
        {sharedTexts.delete}
      </MoreMenu>
      {isEditing && <EditTool id={id} onClose={() => setEditing(false)} />}
    </>
  );
}

function Facts({ tool }: { tool: Tool }) {
  const { toolType, description, isActive, parametersSchema = {}, config } = tool;
  const hasConfig = useMemo(() => Object.keys(config ?? {}).length > 0, [config]);
  return (
    <section className="card" aria-label={sharedTexts.tool}>
      <p>
        <bdi>{description}</bdi>
      </p>
      <p>
        {toolType === 'builtin' ? sharedTexts.builtIn : toLabel(toolType)}{' '}
        <StatusLabel of={isActive ? 'active' : 'off'} />
      </p>
      <details>
        <summary>{settingsTexts.argumentSchema}</summary>
        <Value of={parametersSchema} label={settingsTexts.argumentSchema} />
      </details>
      {hasConfig && (
        <details>
          <summary>{settingsTexts.config}</summary>
          <Value of={config} label={settingsTexts.config} />
        </details>
      )}
    </section>
  );
}

/** Changes a tool, from what is stored now on. */
const EditTool = ({ id, onClose }: { id: string; onClose: () => void }) => (
  <Dialog title={settingsTexts.editTool} isOpen onClose={onClose} role="alertdialog">
    <EditFresh operation="tools.get" request={{ params: { id } }}>
      {({ stored }) => <Form tool={stored} onClose={onClose} />}
    </EditFresh>
  </Dialog>
);

function Form({ tool, onClose }: { tool: OperationResponse<'tools.get'>; onClose: () => void }) {
  const { id, toolType, name, description, parametersSchema, config, isActive } = tool;
  const custom = useMemo(() => toolFields(toolType), [toolType]);
  return (
    <EditForm
      operation="tools.update"
      params={{ id } as never}
      value={{ name, description: description ?? '', parametersSchema, config: config ?? {}, isActive }}
      custom={custom}
      onClose={onClose}
      onSaved={() => notify(sharedTexts.saved)}
    />
  );
}

const whileRunning = (runs: readonly { status: string }[]) =>
  runs.some(({ status }) => status === 'running') ? 2_000 : false;

/** The runs of a tool by itself, newest first. */
const ToolRuns = ({ id }: { id: string }) => (
  <section aria-labelledby="runs">
    <h2 id="runs">{settingsTexts.directRuns}</h2>
    <PagedTable
      label={settingsTexts.directRuns}
      pages={usePages('tool-runs.list', { params: { id } }, { everyMs: whileRunning })}
      keyOf={(run) => run.id}
      copyId={sharedTexts.copyRunId}
      empty={
        <Empty title={settingsTexts.noRunsOfTool}>
          <p>{settingsTexts.aboutDirectRuns}</p>
        </Empty>
      }
      columns={[
        {
          title: sharedTexts.when,
          cell: ({ id: runId, startedAt }) => (
            <Link to={runPath(runId)}>
              <Time at={startedAt} />
            </Link>
          ),
        },
        { title: sharedTexts.status, cell: ({ status }) => <StatusLabel of={status} /> },
        {
          title: settingsTexts.timeInMs,
          cell: ({ executionTimeMs }) => countText(executionTimeMs),
          isNumber: true,
          isExtra: true,
        },
        { title: sharedTexts.error, cell: ({ error }) => <bdi>{error}</bdi>, isExtra: true },
      ]}
    />
  </section>
);
