# cortex up in a container: Debian, Node 24, nats-server. Keys come with the environment at run time; none is in the image.
FROM node:24-trixie-slim AS build
WORKDIR /cortex
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run prepack && npm prune --omit=dev

FROM node:24-trixie-slim
# tini reaps what ended runs leave behind, which Node as process 1 would not.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates nats-server tini \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /cortex
COPY --from=build /cortex/package.json /cortex/index.js /cortex/index.d.ts ./
COPY --from=build /cortex/bin bin
COPY --from=build /cortex/dist dist
COPY --from=build /cortex/docs/schema docs/schema
COPY --from=build /cortex/personas/*.txt /cortex/personas/*.json personas/
COPY --from=build /cortex/skills skills
COPY --from=build /cortex/workspace/seeds workspace/seeds
COPY --from=build /cortex/node_modules node_modules
RUN ln -s /cortex/bin/cortex.js /usr/local/bin/cortex \
 && ln -s /cortex/bin/cortex-request.js /usr/local/bin/cortex-request \
 && ln -s /cortex/bin/cortex-agent.js /usr/local/bin/cortex-agent \
 && mkdir /journal && chown node:node /journal
USER node
ENV JOURNAL_PATH=/journal
VOLUME /journal
HEALTHCHECK --interval=60s --timeout=20s --start-period=60s CMD ["cortex", "doctor"]
ENTRYPOINT ["tini", "--"]
CMD ["cortex", "up"]
