"""The live view: `publisher` sends hints (workers use it, without Channels); `consumers` turn hints into frames."""
