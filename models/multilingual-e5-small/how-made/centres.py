"""Makes `centres.json`: the mean vectors of questions at large, by script, from the questions below.

    python how-made/centres.py centres.json

A question in a language that a memory holds no texts in is compared as seen from there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tkgmem.providers.onnx import OnnxEmbedder

QUESTIONS = {
    "latin": [
        "Where does my sister live now?",
        "When is the meeting?",
        "Who works at the bank?",
        "What did he buy at the market?",
        "How much did the ticket cost?",
        "Why was she tired yesterday?",
        "Which instrument does she play?",
        "How often does he go running?",
        "What was the name of the film we saw last month?",
        "Who gave me this book?",
        "What are his plans for the summer?",
        "When did they get married?",
        "Is the library open on Sunday?",
        "Where did I put the contract?",
        "What is he allergic to?",
        "Who was the head of the team before her?",
        "How many children do they have?",
        "What did the doctor advise?",
        "Which city did he move to after school?",
        "What happened to the car?",
        "What is my favourite drink?",
        "How long does the journey take?",
        "What did we talk about at dinner?",
        "Which phone does she use?",
        "Who should I call about the roof?",
        "What changed in the last two years?",
        "When will the report be ready?",
        "Does he still work for the same company?",
        "What gift would she like?",
        "Where did we spend the holidays?",
    ],
    "han": [
        "我妹妹现在住在哪里？",
        "会议是什么时候？",
        "谁在银行工作？",
        "他在市场买了什么？",
        "票花了多少钱？",
        "她昨天为什么累？",
        "她弹奏什么乐器？",
        "他多久跑一次步？",
        "我们上个月看的电影叫什么名字？",
        "这本书是谁送给我的？",
        "他夏天有什么计划？",
        "他们是什么时候结婚的？",
        "图书馆星期天开门吗？",
        "我把合同放在哪里了？",
        "他对什么过敏？",
        "在她之前团队的负责人是谁？",
        "他们有几个孩子？",
        "医生给了什么建议？",
        "他毕业后搬到了哪个城市？",
        "车出了什么事？",
        "我最喜欢喝什么？",
        "路上要多长时间？",
        "我们吃晚饭时聊了什么？",
        "她用什么手机？",
        "房顶的事我该打电话给谁？",
        "这两年有什么变化？",
        "报告什么时候能好？",
        "他还在同一家公司工作吗？",
        "她会喜欢什么礼物？",
        "我们在哪里度的假？",
    ],
}

if __name__ == "__main__":
    embedder = OnnxEmbedder(Path(__file__).parents[1])
    means = {script: embedder.embed_queries(questions).mean(axis=0) for script, questions in QUESTIONS.items()}
    text = json.dumps({script: [round(float(value), 5) for value in mean] for script, mean in means.items()})
    Path(sys.argv[1]).write_text(text.replace("], ", "],\n") + "\n", encoding="utf-8")
