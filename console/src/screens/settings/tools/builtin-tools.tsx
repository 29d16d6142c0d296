import { useCall } from '../../../api/queries.ts';
import { settingsTexts } from '../../../texts/settings.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Link } from '../../../ui/link.tsx';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { Table } from '../../../ui/tables/table.tsx';

/** The tools that every tenant has. */
export function BuiltinTools() {
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
