import { useCall } from '../../../api/queries.ts';
import { namedModelPrice } from './prices.ts';

/** The price of a model as steps name it, as far as the catalog or the settings have it. */
export function usePrices() {
  const catalog = useCall('model-configs.grouped', { query: { showAll: true } });
  const configs = useCall('model-configs.list');
  return (model: string) => namedModelPrice(model, { catalog: catalog.data, configs: configs.data });
}
