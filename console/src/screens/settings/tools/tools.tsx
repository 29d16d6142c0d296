import { useNavigate } from '@tanstack/react-router';
import { useCall, usePages } from '../../../api/queries.ts';
import { useNewInAddress } from '../../../routing/new-in-address.ts';
import { settingsTexts } from '../../../texts/settings.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Link } from '../../../ui/link.tsx';
import { Empty, Loaded } from '../../../ui/loading/loaded.tsx';
import { EditDialog } from '../../../ui/resource/edit-dialog.tsx';
import { toLabel } from '../../../ui/schema-form/labels.ts';
import { DeleteMany } from '../../../ui/selection/delete-many.tsx';
import { SelectionBar } from '../../../ui/selection/selection-bar.tsx';
import { useSelection } from '../../../ui/selection/use-selection.ts';
import { StatusLabel } from '../../../ui/status.tsx';
import { PagedTable } from '../../../ui/tables/paged-table.tsx';
import { Table } from '../../../ui/tables/table.tsx';
import { Time } from '../../../ui/values/time.tsx';
import { SettingsPage } from '../layout/settings-page.tsx';
import { toolFields } from './tool-fields.tsx';

/** What flows and agents can call: the tenant's own tools, newest first, and the built-in ones. */
export function Tools() {
  const [isCreating, setCreating] = useNewInAddress();
  const navigate = useNavigate();
  const tools = usePages('tools.list');
  const selection = useSelection(tools.rows, ({ name }) => name);
  return (
    <SettingsPage
      title={sharedTexts.tools}
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          {settingsTexts.createTool}
        </Button>
      }
    >
      <SelectionBar selection={selection}>
        <DeleteMany
          selection={selection}
          counted={settingsTexts.toolCount}
          operation="tools.delete"
          question={settingsTexts.callsOfToolsFail}
          changes={['tools']}
        />
      </SelectionBar>
      <div className="stack">
        <PagedTable
          label={sharedTexts.tools}
          pages={tools}
          selection={selection}
          keyOf={({ id }) => id}
          copyId={settingsTexts.copyToolId}
          empty={
            <Empty title={settingsTexts.noCustomTools}>
              <p>{settingsTexts.aboutTools}</p>
            </Empty>
          }
          columns={[
            {
              title: sharedTexts.name,
              cell: ({ id, name }) => (
                <Link to={`/settings/tools/${id}`}>
                  <bdi>{name}</bdi>
                </Link>
              ),
            },
            { title: sharedTexts.kind, cell: ({ toolType }) => toLabel(toolType) },
            {
              title: sharedTexts.description,
              cell: ({ description }) => <bdi>{description}</bdi>,
              isExtra: true,
            },
            {
              title: sharedTexts.status,
              cell: ({ isActive }) => <StatusLabel of={isActive ? 'active' : 'off'} />,
            },
            { title: sharedTexts.updated, cell: ({ updatedAt }) => <Time at={updatedAt} />, isExtra: true },
          ]}
        />
        <BuiltinTools />
      </div>
      <EditDialog
        title={settingsTexts.createTool}
        operation="tools.create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        value={firstBody}
        custom={fields}
        submit={sharedTexts.create}
        onSaved={({ id }) => navigate({ to: `/settings/tools/${id}`, replace: true })}
      />
    </SettingsPage>
  );
}

const fields = toolFields();
const firstBody = {
  toolType: 'external',
  name: '',
  description: '',
  config: { url: '' },
  parametersSchema: { type: 'object', properties: {} },
};

/** The tools that every tenant has. */
function BuiltinTools() {
  const builtin = useCall('tools.builtin');
  return (
    <section aria-labelledby="builtin">
      <h2 id="builtin">{settingsTexts.builtInTools}</h2>
      <Loaded of={builtin}>
        {({ data }) => (
          <Table
            label={settingsTexts.builtInTools}
            rows={data}
            keyOf={({ id }) => `builtin:${id}`}
            copyId={settingsTexts.copyToolId}
            columns={[
              {
                title: sharedTexts.name,
                cell: ({ id, name }) => <Link to={`/settings/tools/builtin:${id}`}>{name}</Link>,
              },
              { title: sharedTexts.description, cell: ({ description }) => description },
              {
                title: settingsTexts.arguments,
                cell: ({ parametersSchema }) => Object.keys(parametersSchema).join(', '),
                isExtra: true,
              },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}
