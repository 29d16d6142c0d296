import { useMemo } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { settingsTexts } from '../../../texts/settings.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { notify } from '../../../ui/notices.tsx';
import { EditForm } from '../../../ui/resource/edit-form.tsx';
import { EditFresh } from '../../../ui/resource/edit-fresh.tsx';
import { toolFields } from './tool-fields.tsx';

/** Changes a tool, from what is stored now on. */
export const EditTool = ({ id, onClose }: { id: string; onClose: () => void }) => (
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
      {...{ custom, onClose }}
      onSaved={() => notify(sharedTexts.saved)}
    />
  );
}
