interface Routed {
  method: string;
  path: string;
}

export interface Match<Route> {
  route: Route;
  /** Percent-encoded, as sent. */
  pathParameters: Record<string, string>;
}

interface Node<Route> {
  fixed: Map<string, Node<Route>>;
  any: Node<Route> | undefined;
  /** The `{proxy+}` routes, for every path below. */
  rest: Map<string, Route>;
  routes: Map<string, Route>;
}

const parameter = /^\{(\w+)\}$/;
const rest = /\/\{(\w+)\+\}$/;

/**
 * Matches a method and path like API Gateway: a literal segment takes precedence over a parameter, and that over
 * `{proxy+}`.
 */
export function createRouteMatcher<Route extends Routed>(routes: readonly Route[]) {
  const root = newNode<Route>();
  for (const route of routes) {
    let node = root;
    for (const segment of segmentsOf(route.path.replace(rest, ''))) node = branch(node, segment);
    (rest.test(route.path) ? node.rest : node.routes).set(route.method, route);
  }
  return (method: string, path: string): Match<Route> | undefined => {
    const segments = segmentsOf(path);
    const route = find(root, segments, 0)?.get(method);
    return route && { route, pathParameters: parametersOf(route.path, segments) };
  };
}

const newNode = <Route>(): Node<Route> => ({
  fixed: new Map(),
  any: undefined,
  rest: new Map(),
  routes: new Map(),
});

/** Ignores a trailing slash. */
function segmentsOf(path: string): string[] {
  const segments = path.slice(1).split('/');
  if (segments.at(-1) === '') segments.pop();
  return segments;
}

function branch<Route>(node: Node<Route>, segment: string): Node<Route> {
  if (parameter.test(segment)) {
    node.any ??= newNode();
    return node.any;
  }
  const next = node.fixed.get(segment) ?? newNode();
  node.fixed.set(segment, next);
  return next;
}

/** @returns the routes of a path, by method. */
function find<Route>(
  node: Node<Route>,
  segments: string[],
  depth: number,
): ReadonlyMap<string, Route> | undefined {
  const segment = segments[depth];
  if (segment === undefined) return node.routes.size > 0 ? node.routes : undefined;
  const fixed = node.fixed.get(segment);
  const found =
    (fixed && find(fixed, segments, depth + 1)) ??
    (node.any && segment !== '' ? find(node.any, segments, depth + 1) : undefined);
  return found ?? (node.rest.size > 0 ? node.rest : undefined);
}

function parametersOf(path: string, segments: string[]): Record<string, string> {
  const parameters: Record<string, string> = {};
  const fixed = segmentsOf(path.replace(rest, ''));
  fixed.forEach((segment, index) => {
    const name = parameter.exec(segment)?.[1];
    if (name) parameters[name] = segments[index] ?? '';
  });
  const name = rest.exec(path)?.[1];
  if (name) parameters[name] = segments.slice(fixed.length).join('/');
  return parameters;
}
