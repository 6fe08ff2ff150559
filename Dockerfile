# One image for all roles. The command chooses the role: docker run tankwatch gateway
FROM node:24-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/console/package.json packages/console/
RUN npm ci --no-fund --no-audit
COPY tsconfig.json ./
COPY packages packages
# The console shares functions without I/O with the service, such as the parser of numbers.
COPY src/values src/values
RUN npm run build:console

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/console/package.json packages/console/
RUN npm ci --omit=dev --omit=optional --no-fund --no-audit && npm cache clean --force
COPY bin bin
COPY gauges gauges
COPY migrations migrations
COPY src src
# The guides that the API serves together with its reference.
COPY docs docs
COPY --from=console /app/packages/console/dist packages/console/dist
# The files keep the modes of the checkout, which may be readable by its owner only (umask 077). The folder is for the file
# of removals, on a volume.
RUN chmod -R a+rX bin docs gauges migrations package.json packages src && mkdir /removals && chown node:node /removals
USER node
# api, ingest over HTTP, MQTT without and with TLS, metrics
EXPOSE 8080 8081 1883 8883 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 CMD ["node", "-e", \
  "fetch(`http://127.0.0.1:${process.env.METRICS_PORT || 9464}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["bin/tankwatch"]
CMD ["--help"]
