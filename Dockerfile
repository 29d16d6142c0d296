# The service on one machine, as `npm start` runs it: docker compose up
# For both architectures: docker buildx build --platform linux/amd64,linux/arm64 .

FROM node:24.21.0-slim AS build
WORKDIR /service
COPY package.json package-lock.json ./
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY test/generators/package.json test/generators/
COPY infra/operations/trim-packages.ts infra/operations/
# The image has this Node already.
RUN npm ci --omit=dev --no-audit && rm -r node_modules/node node_modules/.bin/node
COPY . .
# The lock file knows the engine for x64 alone. The next stage must not need npm or a folder to write in.
RUN node infra/operations/install-engine.ts
# Otherwise the first visitor of the console waits for it.
RUN node console/build-cli.ts && rm -r console/dist
RUN mkdir /data

FROM node:24.21.0-slim
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data AGENT_FLOW_INSTALL=never
WORKDIR /service
COPY --from=build /service ./
COPY --from=build --chown=node:node /data /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/v1/public/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Not by npm: Node itself gets the signal to stop. It writes what is open and ends within four seconds.
CMD ["node", "--max-semi-space-size=8", "infra/local/main.ts"]
