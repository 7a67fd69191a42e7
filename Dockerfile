# The service, built from the sources. compose.yaml starts two of them.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package needs its scripts for the service.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:20-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/data
RUN mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist/bundle dist/bundle
COPY --from=build /app/dist/renderer dist/renderer
COPY deploy/ready.mjs deploy/
USER node
VOLUME /data
EXPOSE 4780
# The same flags as in `npm run serve`.
CMD ["node", "--v8-pool-size=1", "--max-semi-space-size=64", "dist/bundle/service/cli.js"]
