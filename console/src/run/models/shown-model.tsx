import { useModels } from '../../api/models.ts';
import { modelTexts } from '../../texts/models.ts';

/** What people call the model that an agent or a step names. */
export function ShownModel({ of }: { of: unknown }) {
  const { find } = useModels();
  const value = typeof of === 'string' ? of : '';
  const model = find(value);
  if (value === '' || value === 'default')
    return <bdi>{model ? modelTexts.standardNamed(model.name) : modelTexts.standard}</bdi>;
  return <bdi title={value}>{model?.name ?? value}</bdi>;
}
