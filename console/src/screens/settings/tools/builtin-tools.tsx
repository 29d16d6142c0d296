import { useCall } from '../../../api/queries.ts';
import { Link } from '../../../ui/link.tsx';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { Table } from '../../../ui/tables/table.tsx';

/** The tools that every tenant has. */
export function BuiltinTools() {
  const builtin = useCall('GET /v1/tools/builtin');
  return (
    <section aria-labelledby="builtin">
      <h2 id="builtin">Built-in tools</h2>
      <Loaded of={builtin}>
        {({ data }) => (
          <Table
            label="Built-in tools"
            rows={data}
            keyOf={({ id }) => `builtin:${id}`}
            copyId="Copy tool ID"
            columns={[
              {
                title: 'Name',
                cell: ({ id, name }) => <Link to={`/settings/tools/builtin:${id}`}>{name}</Link>,
              },
              { title: 'For', cell: ({ description }) => description },
              {
                title: 'Arguments',
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
