import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { useAction, useCall } from '../../../api/queries.ts';
import { useParam } from '../../../routing/screens.ts';
import { settingsTexts } from '../../../texts/settings.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { notify } from '../../../ui/notices.tsx';
import { toLabel } from '../../../ui/schema-form/labels.ts';
import { StatusLabel } from '../../../ui/status.tsx';
import { ShownId } from '../../../ui/values/copy-id.tsx';
import { Value } from '../../../ui/values/value.tsx';
import { SettingsPage } from '../layout/settings-page.tsx';
import { EditTool } from './edit-tool.tsx';
import { ToolRuns } from './tool-runs.tsx';
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
        {(known) => (
          <div className="stack">
            <Facts tool={known} />
            <TryTool key={`${id} ${known.updatedAt}`} tool={known} />
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
      <ConfirmButton
        look="quiet"
        title={sharedTexts.deleteQuestion(name)}
        question={settingsTexts.callsOfToolFail}
        confirm={sharedTexts.delete}
        action={() => remove.mutateAsync({ params: { id } })}
      >
        {sharedTexts.delete}
      </ConfirmButton>
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
